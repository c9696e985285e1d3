"""Whether a finding of the host is about the place where a mutant differs.

A crash is when the function that was changed is on its stack; what is said of a call, when the call's
function leads to the changed one; work that is not reported, when what submits and reports leads there.
"""

import re

# What the host sees of a mistake itself: an IRQL, a leak, a function's argument, a wrong place of a write.
ITSELF = re.compile(r"K([1-9]|1[0-27-9]|2[0-2]|27)$")
CRASH, HANG, CALLS = ("K13",), ("K15",), ("K14", "K24", "K25", "K26", "K30")
REPORTS = ("InterruptRoutine", "DpcRoutine", "SubmitCommand", "SubmitCommandVirtual", "PreemptCommand",
           "QueryCurrentFence")
FIRST = ("DriverEntry", "vidmm_softgpu_entry")


class Places:
    """The functions of a driver, of which DDI functions each is a part."""

    def __init__(self, sources):
        calls, entry = {}, {}
        for source in sources:
            for start, end in source.bodies:
                body = source.masked[start:end]
                calls.setdefault(source.function_at(start), set()).update(re.findall(r"\b\w+\b", body))
                for call, function in re.findall(r"\bDxgkDdi(\w+)\s*=\s*&?(?:\w+::)*(\w+)\s*;", body):
                    entry.setdefault(call, set()).add(function)
        self.parts = {call: self._reached(functions, calls) for call, functions in entry.items()}
        self.parts["DriverEntry"] = self._reached(set(FIRST), calls)

    @staticmethod
    def _reached(functions, calls):
        reached, waiting = set(), list(functions)
        while waiting:
            function = waiting.pop()
            if function in calls and function not in reached:
                reached.add(function)
                waiting += calls[function]
        return reached

    @staticmethod
    def _plain(name):
        """A function of C++ without its namespaces, its class and its parameters."""
        return re.sub(r"\(anonymous namespace\)::", "", name).split("(")[0].split("::")[-1]

    def right(self, finding, function):
        """Whether the finding, of the host, tells of the place: this function."""
        number = finding["id"].split("-")[0]
        if number in CRASH:
            return any(self._plain(frame["function"]) == function for frame in finding["stack"])
        if number in HANG:
            return any(function in self.parts.get(call, ()) for call in REPORTS)
        if number in CALLS:
            named = re.findall(r"DxgkDdi(\w+)", finding["where"] + " " + finding["found"]) or ["DriverEntry"]
            if "in its table" in finding["found"]:
                named = ["DriverEntry"]
            return any(function in self.parts.get(call, ()) for call in named)
        return bool(ITSELF.match(number))
