"""Operators: one plausible mistake each, made in the text of a driver's source.

An operator looks at a source and yields Mutation objects; mutate.py compiles and examines them. The
operators know C's tokens and no grammar: what does not compile is dropped, what compiles to the same
code is no mistake.
"""

import re
from dataclasses import dataclass

KEYWORDS = (
    "return", "if", "for", "while", "do", "switch", "case", "default", "break", "continue", "goto",
    "else", "static", "const", "struct", "enum", "union", "sizeof", "UNREFERENCED_PARAMETER",
)
FUNCTION = re.compile(r"\)\s*(const|noexcept|\s)*$")
SCOPE = re.compile(r"\b(namespace|class|struct|extern)\b[^;{}()=]*$")


@dataclass(frozen=True)
class Mutation:
    """Characters [start, end) of the source become `text`."""

    kind: str
    start: int
    end: int
    text: str


class Source:
    """A source with comments, strings and directives blanked, its function bodies and its simple statements."""

    def __init__(self, text):
        self.text = text
        self.masked = re.sub(
            r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#(?:\\\n|[^\n])*',
            lambda found: re.sub(r"[^\n]", " ", found.group()), text, flags=re.S | re.M)
        self.bodies = list(self._bodies())
        self.statements = [s for body in self.bodies for s in self._statements(*body)]
        self.exits = [(found.start(), found.end()) for start, end in self.bodies
                      for found in re.compile(r"\b(return|break|continue|goto)\b[^;{}]*;").finditer(
                          self.masked, start, end)]

    def _bodies(self):
        """The outermost braces behind a parameter list, also inside of namespaces and classes."""
        depth, inside = 0, 0
        for found in re.finditer(r"[{}]", self.masked):
            i = found.start()
            if found.group() == "}":
                depth -= 1
                inside = min(inside, depth)
                if depth == inside and is_function:
                    yield start + 1, i
                    is_function = False
                continue
            if depth == inside:
                head = self.masked[self._head(i):i]
                start, is_function = i, bool(FUNCTION.search(head))
                inside += bool(SCOPE.search(head) and not is_function)
            depth += 1

    def _head(self, i):
        return max(self.masked.rfind(c, 0, i) for c in ";{}") + 1

    def _statements(self, start, end):
        """Expression statements: (start, end) with the semicolon, without what controls them."""
        i = begin = start
        parens = 0
        while i < end:
            c = self.masked[i]
            parens += {"(": 1, ")": -1}.get(c, 0)
            if c == "{" and self.masked[begin:i].rstrip().endswith("="):
                i = begin = self._after(i, "{", "}")
                continue
            if parens == 0 and c in ";{}:":
                if c == ";":
                    at = self._past_control(begin, i)
                    if at is not None:
                        yield at, i + 1
                if c != ":" or re.match(r"\s*(case|default)\b", self.masked[begin:i]):
                    begin = i + 1
            i += 1

    def _after(self, i, opening, closing):
        depth = 0
        while True:
            depth += {opening: 1, closing: -1}.get(self.masked[i], 0)
            i += 1
            if depth == 0:
                return i

    def _past_control(self, begin, end):
        while True:
            begin += len(self.masked[begin:end]) - len(self.masked[begin:end].lstrip())
            control = re.match(r"(else\b|(?:if|while|for|switch)\s*(?=\())", self.masked[begin:end])
            if not control:
                break
            begin += control.end()
            if self.masked[begin] == "(":
                begin = self._after(begin, "(", ")")
        statement = self.masked[begin:end]
        word = re.match(r"\w+", statement)
        if not statement.strip() or word and word.group() in KEYWORDS:
            return None
        if re.match(r"[A-Za-z_]\w*\s+\**[A-Za-z_]", statement):
            return None  # a declaration
        return begin

    def find(self, pattern):
        """Matches of `pattern` inside function bodies."""
        for start, end in self.bodies:
            yield from re.compile(pattern).finditer(self.masked, start, end)

    def function_at(self, position):
        """The name of the function around a position."""
        for start, end in self.bodies:
            if start <= position < end:
                names = re.findall(r"(\w+)\s*\((?:[^()]|\([^()]*\))*\)[\sa-z]*$",
                                   self.masked[self._head(start - 1):start - 1])
                return names[-1] if names else ""
        return ""


def replaced(source, kind, pattern, change):
    for found in source.find(pattern):
        text = change(found) if callable(change) else change
        yield Mutation(kind, found.start(), found.end(), text)


def off_by_one(source):
    for sign, other in (("<", "<="), ("<=", "<"), (">", ">="), (">=", ">")):
        yield from replaced(source, "off by one", r"(?<= )" + re.escape(sign) + r"(?= )", other)
    yield from replaced(source, "off by one", r" [+-] 1u?\b", "")
    yield from replaced(source, "off by one", r"(?<=[ (,])(?<!MAXULONG / )\d{1,4}u?(?=[,;) ])",
                        lambda found: str(int(found.group().rstrip("u")) + 1))


def wrong_member(source):
    """Another member of the same base that the source uses somewhere."""
    members = {}
    pattern = r"((?:\w+(?:->|\.))+)(\w+)\b(?!\s*\()"
    for found in source.find(pattern):
        members.setdefault(found.group(1), set()).add(found.group(2))
    for found in source.find(pattern):
        for other in sorted(members[found.group(1)] - {found.group(2)}):
            yield Mutation("wrong member", found.start(2), found.end(2), other)
    for one, two in (("Source", "Destination"), ("Start", "End"), ("Read", "Write"), ("Low", "High"),
                     ("SegmentId0", "SegmentId1")):
        yield from replaced(source, "wrong member", rf"\b\w*{one}\w*\b",
                            lambda found: found.group().replace(one, two))
        yield from replaced(source, "wrong member", rf"\b\w*{two}\w*\b",
                            lambda found: found.group().replace(two, one))


def missing_call(source):
    for start, end in source.statements:
        if re.match(r"[\w>.()-]+\s*\(", source.masked[start:end]) and "=" not in source.masked[start:end].split("(")[0]:
            yield Mutation("missing call", start, end, ";")


ASSIGNMENT = re.compile(r"([^=(]+?)\s*[+|&-]?=(?!=)\s*(.*);", re.S)
CONSTANT = re.compile(r"-?\d\w*$|[A-Z][A-Z0-9_]*$|nullptr$|\{0?\}$")
NOTHING = re.compile(r"0\w*$|NULL$|FALSE$|nullptr$")


def missing_assignment(source):
    """Not of a nothing to a member of a local variable: that is what its initializer has left there."""
    for start, end in source.statements:
        found = ASSIGNMENT.match(source.masked, start, end)
        if found and not ("->" not in found.group(1) and "." in found.group(1) and NOTHING.match(found.group(2))):
            yield Mutation("missing assignment", start, end, ";")


def wrong_unit(source):
    yield from replaced(source, "wrong unit", r" [*/%] (?:PAGE_SIZE|\d+u?|sizeof\([^()]*(?:\([^()]*\))?\))", "")
    yield from replaced(source, "wrong unit", r" (?:<<|>>) (?:\w+|\([^()]*\))", "")
    yield from replaced(source, "wrong unit", r" [+-] [A-Za-z_][\w.>-]*(?![\w(.>-])", "")
    yield from replaced(source, "wrong unit", r"\bPAGE_SIZE\b", "1024")


def wrong_order(source):
    """Neighbours that have a name in common and of which one is a call, or of which one reads what the other sets."""
    for (a, b), (c, d) in zip(source.statements, source.statements[1:]):
        between, first, second = source.masked[b:c], source.masked[a:b], source.masked[c:d]
        one, two = ASSIGNMENT.match(first), ASSIGNMENT.match(second)
        if one and two:
            tied = reads(two.group(), one.group(1)) or reads(one.group(), two.group(1))
        else:
            common = set(re.findall(r"[A-Za-z_]\w+", first)) & set(re.findall(r"[A-Za-z_]\w+", second))
            tied = common and "(" in first + second
        if between.strip() == "" and tied:
            yield Mutation("wrong order", a, d, source.text[c:d] + between + source.text[a:b])


def reads(statement, target):
    """Whether the statement names the target, or all of what it is a part of."""
    parts = re.split(r"->|\.|\[", target.lstrip("*( "))
    whole = "".join(target.partition(parts[0])[:2]).lstrip("*( ")
    return re.search(re.escape(target) + r"\b", statement) is not None or (
        re.search(rf"\b{re.escape(whole)}\b(?!->|\.|\[)", statement) is not None)


def dropped_flag(source):
    yield from replaced(source, "dropped flag", r" \| [A-Za-z_][\w.>-]*(?![\w(.>-])", "")
    yield from replaced(source, "dropped flag", r" & ~?[A-Za-z_(][\w.>-]*(?![\w(.>-])", "")
    yield from replaced(source, "dropped flag", r"(?<== )1(?=[,;])", "0")
    yield from replaced(source, "dropped flag", r"\bTRUE\b", "FALSE")
    yield from replaced(source, "dropped flag", r"\bFALSE\b", "TRUE")


def truncation(source):
    yield from replaced(source, "truncation", r"\((?:ULONGLONG|LONGLONG|UINT64|ULONG64|SIZE_T)\)(?=[\w(])",
                        lambda found: found.group() + "(UINT)")
    for start, end in source.statements:
        found = re.match(r"([^=(]+[^=!<>+*/|&-])=([^=].*);", source.masked[start:end], re.S)
        if found:
            value = source.text[start + found.start(2):start + found.end(2)].strip()
            yield Mutation("truncation", start + found.start(2), start + found.end(2), f" (UINT)({value})")


RUNS_ONCE = re.compile(r"_(table|entries|size)$|^DriverEntry$|_driver_entry$")


def stale_state(source):
    """An assignment that is made the first time only, of what may be another value the next time."""
    for start, end in source.statements:
        if RUNS_ONCE.search(source.function_at(start)):
            continue
        found = ASSIGNMENT.match(source.masked, start, end)
        if found and not CONSTANT.match(found.group(2)):
            text = source.text[start:end]
            yield Mutation("stale state", start, end, "{ static int done; if (!done) { " + text + " done = 1; } }")


def wrong_condition(source):
    yield from replaced(source, "wrong condition", r"&&", "||")
    yield from replaced(source, "wrong condition", r"\|\|", "&&")
    yield from replaced(source, "wrong condition", r" == ", " != ")
    yield from replaced(source, "wrong condition", r" != ", " == ")
    for found in source.find(r"\bif \("):
        end = source._after(found.end() - 1, "(", ")")
        for value in "01":
            yield Mutation("wrong condition", found.end(), end - 1, value)
    yield from replaced(source, "wrong condition", r"(\? )([^?:;{}]+)( : )([^?:;{},]+)(?=[,;)])",
                        lambda found: found.group(1) + found.group(4) + found.group(3) + found.group(2))


def wrong_status(source):
    for found in source.find(r"\breturn (STATUS_\w+)"):
        other = "STATUS_INVALID_PARAMETER" if found.group(1) == "STATUS_SUCCESS" else "STATUS_SUCCESS"
        yield Mutation("wrong status", found.start(1), found.end(1), other)


OPERATORS = (off_by_one, wrong_member, missing_call, missing_assignment, wrong_unit, wrong_order,
             dropped_flag, truncation, stale_state, wrong_condition, wrong_status)


def mutations(source):
    """All of a source, each text once."""
    seen = set()
    for operator in OPERATORS:
        for mutation in operator(source):
            key = (mutation.start, mutation.end, mutation.text)
            if key not in seen and source.text[mutation.start:mutation.end] != mutation.text:
                seen.add(key)
                yield mutation
