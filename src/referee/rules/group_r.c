/*
 * group_r.c - R364 to R368: reporting graphics memory.
 *
 * The numbers that applications are told, made of what the driver reported of its segments
 * (group_b_kind.c, group_b_memory.c) and of the machine's memory.
 */
#define GROUP 'R'
#include "groups.h"

/* No DDI call carries these figures. */
#define ASKED                                                                                      \
    "The manager is asked for the figure when it has started, and the segments are summed."

const struct vidmm_rule rules_r[] = {
    {
        RULE(364, MANAGER, DOCUMENTED, PERFORMANCE),
        .statement = "Half of the system's memory, but at least 64 MB, is available for graphics.",
        .page = "calculating-graphics-memory",
        .how = ASKED,
        .why = "The other half keeps the rest of the system going.",
        .windows = "The system computes it at start.",
        .windows_source = THE_PAGE,
        .wrong = "available = system_memory;\n",
        .right = "available = max(system_memory / 2, 64 * MB);\n",
    },
    {
        RULE(365, MANAGER, DOCUMENTED, PERFORMANCE),
        .statement = "Dedicated video memory is the sum of the memory segments without "
                     "PopulatedFromSystemMemory, dedicated system memory that of those with it, at "
                     "most what is available.",
        .page = "calculating-graphics-memory",
        .how = ASKED,
        .why = "Applications choose what to load by how much memory is local to the GPU.",
        .windows = "The system computes both at start.",
        .windows_source = THE_PAGE,
        .wrong = "dedicated += segment->Size; /* of apertures too */\n",
        .right = "if (segment->Flags.Aperture)\n"
                 "    continue;\n"
                 "if (segment->Flags.PopulatedFromSystemMemory)\n"
                 "    dedicated_system += segment->Size;\n"
                 "else\n"
                 "    dedicated_video += segment->Size;\n",
    },
    {
        RULE(366, MANAGER, DOCUMENTED, PERFORMANCE),
        .statement = "Shared system memory is the smallest of the commit limits of all apertures "
                     "together, the driver's limit, and what is available and not dedicated.",
        .page = "calculating-graphics-memory",
        .how = ASKED,
        .why = "No more than that can be mapped for the GPU at a time.",
        .windows = "The system computes it at start and keeps to it.",
        .windows_source = THE_PAGE,
        .wrong = "shared = available;\n",
        .right = "shared = min(min(commit_limits, caps->ApertureSegmentCommitLimit),\n"
                 "             available - dedicated_system);\n",
    },
    {
        RULE(367, MANAGER, DOCUMENTED, PERFORMANCE),
        .statement = "Total video memory is the sum of dedicated video, dedicated system and "
                     "shared system memory.",
        .page = "calculating-graphics-memory",
        .how = ASKED,
        .why = "It is the number that people compare.",
        .windows = "The system computes it at start.",
        .windows_source = THE_PAGE,
        .wrong = "total = dedicated_video;\n",
        .right = "total = dedicated_video + dedicated_system + shared;\n",
    },
    {
        RULE(368, MANAGER, IMPLIED, CORRUPTION),
        .statement = "The allocations in a segment have places of their own inside of it.",
        .page = "gpu-segments",
        .how =
            "The places that paging operations give to allocations are kept and compared with "
            "each other, those that page tables lead to with what is brought in there. Sizes and "
            "commit limits: R43, R64, R65.",
        .why = "Two allocations at one place overwrite each other.",
        .windows = "The system pages something out when there is no room.",
        .wrong = "offset = next;\n"
                 "next += size; /* beyond the segment one day */\n",
        .right = "if (!find_hole(segment, size, &offset))\n"
                 "    evict_until_there_is_one(segment, size, &offset);\n",
    },
};
