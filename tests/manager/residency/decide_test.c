/*
 * What residency/decide.c decides: scenes in words, and the plan that must come of each
 * (decide_scene.h). A row's name is the property that it shows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "decide_scene.h"

struct row {
    const char *property;
    const char *scene;
    const char *moves;
    const char *ops; /* NULL: not compared */
};

/* clang-format off */
static const struct row rows[] = {
    /* Places. */
    {"what is resident stays", "seg vram 8; alloc A 4 in=vram:4; want A", "-", ""},
    {"new content is filled", "seg vram 8; alloc A 4; want A", "A out>vram:0 requested", "fill A vram:0"},
    {"content comes from the system pages", "seg vram 8; alloc A 4 clean; want A", "A out>vram:0 requested", "transfer A pages>vram:0"},
    {"a preference's direction bit counts from the end", "seg vram 8; alloc A 2 pref=vram^; want A", "A out>vram:6 requested", NULL},
    {"an allocation may want the end of any segment", "seg vram 8; alloc A 2 end; want A", "A out>vram:6 requested", NULL},
    {"alignment leaves a gap", "seg vram 8; alloc P 1 pin in=vram:0; alloc A 2 align=4; want A", "A out>vram:4 requested", NULL},
    {"64 KiB pages are whole", "seg vram 64 64k; alloc A 1; alloc B 1; want A B", "A out>vram:0 requested; B out>vram:16 requested", NULL},
    {"a pitch segment reserves the pitch", "seg vram 8 pitch; alloc A 2 pitch=7; alloc B 2; want A B", "no room: B", NULL},
    {"without a pitch segment the pitch costs nothing", "seg vram 8; alloc A 2 pitch=6; alloc B 3; want A B", "A out>vram:0 requested; B out>vram:2 requested", NULL},
    {"references are placed in their order", "seg vram 8; alloc A 2; alloc B 2; want B A", "B out>vram:0 requested; A out>vram:2 requested", NULL},
    /* Hinted banks. */
    {"a hinted bank is taken", "seg vram 8 banks=4+8; alloc A 2 pref=vram bank=2; want A", "A out>vram:4 requested", NULL},
    {"a hinted bank's direction counts", "seg vram 8 banks=4+8; alloc A 1 pref=vram bank=0x81; want A", "A out>vram:3 requested", NULL},
    {"a hinted bank that is full is only a hint", "seg vram 8 banks=4+8; alloc P 4 pin in=vram:4; alloc A 2 pref=vram bank=2; want A", "A out>vram:0 requested", NULL},
    {"no bank is hinted without a preferred segment", "seg vram 8 banks=4+8; alloc A 2 bank=2; want A", "A out>vram:0 requested", NULL},
    {"no bank is hinted in the second preferred segment", "seg one 4; seg two 8 banks=4+8; alloc P 4 pin in=one:0; alloc A 2 pref=one+two bank=2; want A", "A out>two:0 requested", NULL},
    /* Which segment. */
    {"the preferred segments come in their order", "seg one 8; seg two 8; alloc A 2 pref=two+one; want A", "A out>two:0 requested", NULL},
    {"without a preference the emptier segment comes first", "seg one 8; seg two 8; alloc P 2 pin in=one:0; alloc A 2; want A", "A out>two:0 requested", NULL},
    {"segments that are equally empty come in their order", "seg one 8; seg two 8; alloc A 2; want A", "A out>one:0 requested", NULL},
    {"a segment outside the set is not used", "seg one 8; seg two 4; alloc A 2 set=two; want A", "A out>two:0 requested", NULL},
    {"a free place in another memory segment comes before an eviction", "seg one 4; seg two 4; alloc B 4 in=one:0 clean; alloc A 4 pref=one; want A", "A out>two:0 requested", NULL},
    {"reads and writes have sets of their own: read", "seg vram 8; seg ap 8 ap; alloc A 2 read=ap write=vram; want A", "A out>ap:0 requested", "map_aperture A pages>ap:0"},
    {"reads and writes have sets of their own: written", "seg vram 8; seg ap 8 ap; alloc A 2 read=ap write=vram; want A!", "A out>vram:0 requested", "fill A vram:0"},
    {"a segment that it may not be written in is left", "seg vram 8; seg ap 8 ap; alloc A 2 clean in=ap:0 write=vram; want A!", "A ap:0>vram:0 requested", "unmap_aperture A ap:0>pages; transfer A pages>vram:0"},
    {"from memory to memory it goes without the system pages", "seg one 8; seg two 8; alloc A 2 dirty in=one:4 write=two; want A!", "A one:4>two:0 requested", "transfer A one:4>two:0"},
    /* Victims. */
    {"the least recently used leaves", "seg vram 8; alloc A 4 in=vram:0 use=2; alloc B 4 in=vram:4 use=1; alloc C 4; want C", "B vram:4>out policy; C out>vram:4 requested", "discard B vram:4; fill C vram:4"},
    {"the lower priority leaves though it was used later", "seg vram 8; alloc A 4 in=vram:0 use=9 prio=50; alloc B 4 in=vram:4 use=1; alloc C 4; want C", "A vram:0>out policy; C out>vram:0 requested", NULL},
    {"of equals the clean one leaves", "seg vram 8; alloc A 4 dirty in=vram:0 use=1; alloc B 4 clean in=vram:4 use=1; alloc C 4; want C", "B vram:4>out policy; C out>vram:4 requested", NULL},
    {"of equals that are alike the one that came first leaves", "seg vram 8; alloc A 4 clean in=vram:4 use=1; alloc B 4 clean in=vram:0 use=1; alloc C 4; want C", "A vram:4>out policy; C out>vram:4 requested", NULL},
    {"a pinned one stays", "seg vram 8; alloc A 4 pin in=vram:0 use=1; alloc B 4 in=vram:4 use=2; alloc C 4; want C", "B vram:4>out policy; C out>vram:4 requested", NULL},
    {"one that the CPU has a pointer to stays", "seg vram 8; alloc A 4 fixed in=vram:0 use=1; alloc B 4 in=vram:4 use=2; alloc C 4; want C", "B vram:4>out policy; C out>vram:4 requested", NULL},
    {"an overlay stays", "seg vram 8; alloc A 4 overlay in=vram:0 use=1; alloc B 4 in=vram:4 use=2; alloc C 4; want C", "B vram:4>out policy; C out>vram:4 requested", NULL},
    {"a reference of the same request stays", "seg vram 8; alloc A 4 in=vram:0 use=1; alloc B 4 in=vram:4 use=2; alloc C 4; want A C", "B vram:4>out policy; C out>vram:4 requested", NULL},
    {"one that the GPU still uses may leave", "seg vram 4; alloc A 4 busy in=vram:0; alloc C 4; want C", "A vram:0>out policy; C out>vram:0 requested", NULL},
    {"what is dirty is saved", "seg vram 4; alloc A 4 dirty in=vram:0; alloc C 4; want C", "A vram:0>out policy; C out>vram:0 requested", "transfer A vram:0>pages; fill C vram:0"},
    {"as many leave as it takes", "seg vram 8; alloc A 2 in=vram:0 use=1; alloc B 2 in=vram:2 use=2; alloc D 4 in=vram:4 use=3; alloc C 4; want C", "A vram:0>out policy; B vram:2>out policy; C out>vram:0 requested", NULL},
    {"one that turned out not to be in the way is spared", "seg vram 8; alloc B 4 in=vram:0 use=2; alloc P 2 pin in=vram:4; alloc A 2 in=vram:6 use=1; alloc C 4; want C", "B vram:0>out policy; C out>vram:0 requested", NULL},
    {"all leave for the second reference too", "seg vram 8; alloc A 4 in=vram:0 use=1; alloc B 4 in=vram:4 use=2; alloc C 4; alloc D 4; want C D", "A vram:0>out policy; C out>vram:0 requested; B vram:4>out policy; D out>vram:4 requested", NULL},
    /* What does not fit. */
    {"what is larger than its segments does not fit", "seg vram 8; alloc A 9; want A", "no room: A", NULL},
    {"pinned allocations leave no room", "seg vram 8; alloc P 6 pin in=vram:0; alloc A 4; want A", "no room: A", NULL},
    {"the reference that found no room is named", "seg vram 8; alloc A 8; alloc B 4; want B A", "no room: B", NULL},
    {"a failed request evicts nothing", "seg vram 8; alloc A 4 in=vram:0; alloc P 4 pin in=vram:4; alloc C 6; want C", "no room: C", NULL},
    {"references beyond memory do not fit where the sets say so", "seg vram 4; seg ap 8 ap; alloc A 4 set=vram; alloc B 4 set=vram; want A B", "no room: B", NULL},
    {"a pinned reference in the wrong segment does not fit", "seg vram 8; seg ap 8 ap; alloc A 2 pin in=ap:0 write=vram; want A!", "no room: A", NULL},
    /* References that take each other's room. */
    {"references beyond memory go into the aperture", "seg vram 4; seg ap 8 ap; alloc A 4; alloc B 4; want A B", "A out>vram:0 requested; B out>ap:0 requested", "fill A vram:0; map_aperture B pages>ap:0"},
    {"a reference that stands in the way is put down elsewhere", "seg vram 8; alloc A 2 in=vram:3; alloc C 6; want A C", "A vram:3>vram:6 repacked; C out>vram:0 requested", NULL},
    {"one that need not move is put back", "seg vram 8; alloc X 2 in=vram:0; alloc A 2 in=vram:3; alloc C 4 end; want X A C", "A vram:3>vram:2 repacked; C out>vram:4 requested", NULL},
    {"a pinned reference is not put down elsewhere", "seg vram 8; alloc A 2 pin in=vram:3; alloc C 6; want A C", "no room: C", NULL},
    {"the one with fewer choices has the memory", "seg vram 4; seg ap 8 ap; alloc A 4 clean in=vram:0; alloc B 4 set=vram; want A B", "A vram:0>ap:0 repacked; B out>vram:0 requested", "discard A vram:0; map_aperture A pages>ap:0; fill B vram:0"},
    /* Apertures. */
    {"a preferred aperture comes before memory", "seg vram 8; seg ap 8 ap; alloc A 2 pref=ap; want A", "A out>ap:0 requested", NULL},
    {"memory is emptied before an aperture is used", "seg vram 4; seg ap 8 ap; alloc A 4 in=vram:0; alloc B 4; want B", "A vram:0>out policy; B out>vram:0 requested", NULL},
    {"pinned memory leaves the aperture", "seg vram 4; seg ap 8 ap; alloc P 4 pin in=vram:0; alloc B 4; want B", "B out>ap:0 requested", NULL},
    {"a commit limit closes an aperture", "seg vram 8; seg ap 8 ap commit=2; alloc A 4 pref=ap; want A", "A out>vram:0 requested", NULL},
    {"one in an aperture leaves by UNMAP alone", "seg ap 4 ap; alloc A 4 clean in=ap:0; alloc B 4; want B", "A ap:0>out policy; B out>ap:0 requested", "unmap_aperture A ap:0>pages; map_aperture B pages>ap:0"},
    {"with the CPU on its pages it must be in an aperture", "seg vram 8; seg ap 8 ap; alloc A 2 cpu; want A", "A out>ap:0 requested", NULL},
    {"with the CPU on its pages and no aperture it does not fit", "seg vram 8; alloc A 2 cpu; want A", "no room: A", NULL},
    {"an eviction goes through an eviction aperture", "seg vram 4; seg ap 8 ap; alloc A 4 dirty in=vram:0 evict=ap; alloc C 4 set=vram; want C", "A vram:0>out policy; C out>vram:0 requested", "map_aperture A pages>ap:0; transfer A vram:0>ap:0; unmap_aperture A ap:0>pages; fill C vram:0"},
    {"a full eviction aperture is passed by", "seg vram 4; seg ap 4 ap; alloc A 4 dirty in=vram:0 evict=ap; alloc P 4 pin in=ap:0; alloc C 4 set=vram; want C", "A vram:0>out policy; C out>vram:0 requested", "transfer A vram:0>pages; fill C vram:0"},
    {"what is clean needs no eviction aperture", "seg vram 4; seg ap 8 ap; alloc A 4 clean in=vram:0 evict=ap; alloc C 4 set=vram; want C", "A vram:0>out policy; C out>vram:0 requested", "discard A vram:0; fill C vram:0"},
    /* Promotion. */
    {"a reference in an aperture is promoted to free memory", "seg vram 4; seg ap 8 ap; alloc A 4 clean in=ap:0; want A", "A ap:0>vram:0 promoted", "unmap_aperture A ap:0>pages; transfer A pages>vram:0"},
    {"a promotion evicts what was not used for long", "seg vram 4; seg ap 8 ap; alloc A 4 in=ap:0; alloc B 4 in=vram:0 use=36; want A at=100", "B vram:0>out policy; A ap:0>vram:0 promoted", NULL},
    {"a promotion does not evict what was used lately", "seg vram 4; seg ap 8 ap; alloc A 4 in=ap:0; alloc B 4 in=vram:0 use=37; want A at=100", "-", NULL},
    {"one that prefers the aperture is not promoted", "seg vram 4; seg ap 8 ap; alloc A 4 in=ap:0 pref=ap; want A", "-", NULL},
    {"a pinned one is not promoted", "seg vram 4; seg ap 8 ap; alloc A 4 pin in=ap:0; want A", "-", NULL},
    {"one larger than what a request promotes is not promoted", "seg vram 16385; seg ap 16385 ap; alloc A 16385 in=ap:0; want A", "-", NULL},
    {"what pays leaves for one in an aperture", "exchange 50; seg vram 4; seg ap 8 ap; alloc A 4 in=ap:0; alloc B 4 in=vram:0 use=49; want A at=60", "A ap:0>vram:0 promoted; B vram:0>out policy", NULL},
    {"what does not pay stays, and the other in its aperture", "exchange 50; seg vram 4; seg ap 8 ap; alloc A 4 in=ap:0; alloc B 4 in=vram:0 use=50; want A at=60", "-", ""},
    {"an exchange has no largest size", "exchange 50; seg vram 16385; seg ap 16385 ap; alloc A 16385 in=ap:0; want A", "A ap:0>vram:0 promoted", NULL},
    {"one that comes in and does not pay is used in an aperture", "exchange 50; seg vram 4; seg ap 8 ap; alloc A 4; alloc B 4 in=vram:0 use=50; want A at=60", "A out>ap:0 requested", NULL},
    {"one that cannot be used in an aperture comes in whatever it costs", "exchange 50; seg vram 4; seg ap 8 ap; alloc A 4 set=vram; alloc B 4 in=vram:0 use=50; want A at=60", "B vram:0>out policy; A out>vram:0 requested", NULL},
    {"a small part of what leaves for a range need not pay", "exchange 50; seg vram 8; seg ap 8 ap; alloc A 8; alloc B 6 in=vram:0 use=49; alloc C 2 in=vram:6 use=50; want A at=60", "B vram:0>out policy; C vram:6>out policy; A out>vram:0 requested", NULL},
    {"more than a small part of it has to pay", "exchange 50; seg vram 8; seg ap 8 ap; alloc A 8; alloc B 5 in=vram:0 use=49; alloc C 3 in=vram:5 use=50; want A at=60", "A out>ap:0 requested", NULL},
    {"what is listed is exchanged with an aperture", "model gpummu; exchange 50; seg vram 4; seg ap 8 ap; proc P; dev D P; alloc A 4 in=ap; alloc B 4 in=vram:0 use=49; list D A B; want A at=60 for=D/excess", "A ap>vram:0 promoted; B vram:0>ap demoted", NULL},
    {"nothing is exchanged for a device that does not say what it uses", "model gpummu; exchange 50; seg vram 4; seg ap 8 ap; proc P; dev D P unnamed; alloc A 4 in=ap; alloc B 4 in=vram:0 use=49; list D A B; want A at=60 for=D/excess", "-", ""},
    {"what leaves for a range is worth least, not the first in the order", "worth; seg vram 12; alloc A 6 in=vram:0 use=5; alloc B 2 in=vram:6 use=20; alloc D 4 in=vram:8 use=6; alloc C 4; want C at=60", "D vram:8>out policy; C out>vram:8 requested", NULL},
    {"a policy that names no worth evicts the first in the order", "seg vram 12; alloc A 6 in=vram:0 use=5; alloc B 2 in=vram:6 use=20; alloc D 4 in=vram:8 use=6; alloc C 4; want C at=60", "A vram:0>out policy; C out>vram:0 requested", NULL},
    {"a policy that is not to be asked evicts the first in the order", "worth unasked; seg vram 12; alloc A 6 in=vram:0 use=5; alloc B 2 in=vram:6 use=20; alloc D 4 in=vram:8 use=6; alloc C 4; want C at=60", "A vram:0>out policy; C out>vram:0 requested", NULL},
    {"the lower priority leaves whatever it is worth", "worth; seg vram 12; alloc A 6 in=vram:0 use=5 prio=1; alloc B 2 in=vram:6 use=20; alloc D 4 in=vram:8 use=6; alloc C 4; want C at=60", "A vram:0>out policy; C out>vram:0 requested", NULL},
    {"two that are worth less together leave for one range", "worth; seg vram 9; alloc A 4 in=vram:0 use=9; alloc B 2 in=vram:4 use=10; alloc D 2 in=vram:6 use=1; alloc E 1 in=vram:8 use=50; alloc C 4; want C at=60", "D vram:6>out policy; B vram:4>out policy; C out>vram:4 requested", NULL},
    {"what is listed and cannot be used in an aperture stays", "model gpummu; exchange 50; seg vram 4; seg ap 8 ap; proc P; dev D P; alloc A 4 in=ap; alloc B 4 set=vram in=vram:0 use=49; list D A B; want A at=60 for=D/excess", "-", ""},
    {"as much as a request promotes is promoted", "seg vram 16384; seg ap 16384 ap; alloc A 16384 in=ap:0; want A", "A ap:0>vram:0 promoted", NULL},
    /* Offers. */
    {"what was offered leaves without its content", "seg vram 4; alloc A 4 dirty offered in=vram:0; alloc C 4; want C", "A vram:0>out offered drop; C out>vram:0 requested", "discard A vram:0; fill C vram:0"},
    {"a listed one that was offered leaves like one of no list", "model gpummu; seg vram 8; proc P; dev D P; alloc A 4 offered in=vram:0 use=9 prio=1; alloc B 4 in=vram:4 use=1; alloc C 4; list D A; want C", "A vram:0>out offered drop; C out>vram:0 requested", NULL},
    /* Protected ranges. */
    {"what is protected lies in the range", "seg vram 16 vpr=4+4; alloc A 2 vpr; want A", "A out>vram:4 requested", NULL},
    {"nothing else lies in the range", "seg vram 16 vpr=4+4; alloc A 8; want A", "A out>vram:8 requested", NULL},
    {"what is too large for the range does not fit", "seg vram 16 vpr=4+4; alloc A 5 vpr; want A", "no room: A", NULL},
    {"what is protected lies in no segment without a range", "seg vram 16; seg ap 8 ap; alloc A 2 vpr; want A", "no room: A", NULL},
    {"one outside the range does not make room in it", "seg vram 16 vpr=4+4; alloc U 4 in=vram:0 use=1; alloc V 4 vpr in=vram:4 use=5; alloc W 2 vpr; want W", "V vram:4>out policy; W out>vram:4 requested", NULL},
    {"one in the range does not make room outside", "seg vram 8 vpr=4+4; alloc V 4 vpr in=vram:4 use=1; alloc U 4 in=vram:0 use=5; alloc A 4; want A", "U vram:0>out policy; A out>vram:0 requested", NULL},
    /* GPU virtual addresses: scattered and floating places. */
    {"by virtual addresses it may lie scattered", "model gpummu; seg vram 8; alloc P 2 pin in=vram:3; alloc A 6; want A", "A out>vram:0 requested", NULL},
    {"what is read physically lies in one row", "model gpummu; seg vram 8; alloc P 2 pin in=vram:3; alloc A 6 phys; want A", "no room: A", NULL},
    {"by virtual addresses an aperture has no range", "model gpummu; seg vram 2; seg ap 8 ap; alloc A 4; want A", "A out>ap requested", NULL},
    {"what floats counts against the commit limit", "model gpummu; seg ap 8 ap commit=4; alloc A 3 pin in=ap; alloc B 2; want B", "no room: B", NULL},
    {"behind an IOMMU what is read physically has a range", "model iommu; seg ap 8 ap; alloc A 2; alloc B 2 phys; want A B", "A out>ap requested; B out>ap:0 requested", NULL},
    /* Residency lists and budgets. */
    {"what no device lists leaves first", "model gpummu; seg vram 8; proc P; dev D P; alloc A 4 in=vram:0 use=1; alloc B 4 in=vram:4 use=9; alloc C 4; list D A; want C", "B vram:4>out policy; C out>vram:4 requested", NULL},
    {"what is listed leaves if nothing else may", "model gpummu; seg vram 4; proc P budget=8; dev D P; alloc A 4 in=vram:0; alloc C 4; list D A; want C", "A vram:0>out listed; C out>vram:0 requested", NULL},
    {"a process beyond its budget gives way first", "model gpummu; seg vram 8; proc P budget=1; proc Q budget=8; dev D P; dev E Q; alloc B 4 in=vram:4 use=1; alloc A 4 in=vram:0 use=9; alloc C 4; list D A; list E B; want C", "A vram:0>out budget; C out>vram:0 requested", NULL},
    {"of two the one further beyond its budget gives way", "model gpummu; seg vram 8; proc P budget=2; proc Q budget=1; dev D P; dev E Q; alloc A 4 in=vram:0; alloc B 4 in=vram:4; alloc C 4; list D A; list E B; want C", "B vram:4>out budget; C out>vram:4 requested", NULL},
    {"of one list the lower priority leaves", "model gpummu; seg vram 8; proc P budget=1; dev D P; alloc A 4 in=vram:0 use=1; alloc B 4 in=vram:4 use=9 prio=50; alloc C 4; list D A B; want C", "B vram:4>out budget; C out>vram:4 requested", NULL},
    {"a polite request takes from no list", "model gpummu; seg vram 4; proc P budget=1; proc Q budget=8; dev D P; dev E Q; alloc A 4 in=vram:0; alloc C 4; list D A; list E C; want C for=E/nobody", "no room: C", NULL},
    {"within its budget a process takes what others hold beyond theirs", "model gpummu; seg vram 4; proc P budget=1; proc Q budget=8; dev D P; dev E Q; alloc A 4 in=vram:0; alloc C 4; list D A; list E C; want C for=E/excess", "A vram:0>out budget; C out>vram:0 requested", NULL},
    {"it does not take what others hold within theirs", "model gpummu; seg vram 4; proc P budget=8; proc Q budget=8; dev D P; dev E Q; alloc A 4 in=vram:0; alloc C 4; list D A; list E C; want C for=E/excess", "no room: C", NULL},
    {"beyond its own budget it takes nothing", "model gpummu; seg vram 8; proc P budget=1; proc Q budget=3; dev D P; dev E Q; alloc A 4 in=vram:0; alloc B 4 in=vram:4; alloc C 4; list D A; list E B C; want C for=E/excess", "no room: C", NULL},
    {"one that could not run at all takes from any list", "model gpummu; seg vram 4; proc P budget=8; proc Q budget=3; dev D P; dev E Q; alloc A 4 in=vram:0; alloc C 4; list D A; list E C; want C for=E/anybody", "A vram:0>out listed; C out>vram:0 requested", NULL},
    {"but not from its own", "model gpummu; seg vram 4; proc Q budget=8; dev E Q; alloc A 4 in=vram:0; alloc C 4; list E A C; want C for=E/anybody", "no room: C", NULL},
    {"what another device lists too is its own as well", "model gpummu; seg vram 4; proc P budget=1; proc Q budget=8; dev D P; dev E Q; alloc A 4 in=vram:0; alloc C 4; list D A; list E A C; want C for=E/anybody", "no room: C", NULL},
    {"without virtual addresses no list counts", "seg vram 4; proc P budget=1; dev D P; alloc A 4 in=vram:0; alloc C 4; list D A; want C", "no room: C", NULL},
    /* DMA buffers. */
    {"a DMA buffer lies in an aperture", "seg vram 8; seg ap 8 ap; buffer 2 ap", "buffer ap:0", NULL},
    {"a DMA buffer evicts", "seg ap 4 ap; alloc A 4 in=ap:0; buffer 2 ap", "A ap:0>out policy; buffer ap:0", NULL},
    {"a DMA buffer is not evicted for when there is room elsewhere", "seg one 2 ap; seg two 2 ap; alloc P 2 pin in=one:0; buffer 2 one+two", "buffer two:0", NULL},
    {"a DMA buffer that finds no room is refused", "seg ap 4 ap; alloc P 4 pin in=ap:0; buffer 2 ap", "no room", NULL},
};
/* clang-format on */

#define ROWS (sizeof(rows) / sizeof(rows[0]))

static bool agrees(const struct row *row, const struct decide_result *result) {
    if (strcmp(result->moves, row->moves) == 0 && (!row->ops || strcmp(result->ops, row->ops) == 0))
        return true;
    print_error("%s:\n  %s\n  expected: %s (%s)\n  found:    %s (%s)\n", row->property, row->scene,
                row->moves, row->ops ? row->ops : "any", result->moves, result->ops);
    return false;
}

static void each_scene_has_its_plan(void **state) {
    (void)state;
    unsigned wrong = 0;
    for (size_t i = 0; i < ROWS; i++) {
        struct decide_result result;
        decide_play(rows[i].scene, 0, &result);
        wrong += !agrees(&rows[i], &result);
    }
    assert_int_equal(wrong, 0);
}

static void a_plan_that_is_not_run_leaves_nothing_behind(void **state) {
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        struct decide_result result;
        decide_play(rows[i].scene, 0, &result);
        if (!result.restored || result.blocks)
            fail_msg("%s: something is left of the plan", rows[i].property);
    }
}

/* Every allocation of memory fails once in turn, and all later ones with it. */
static void without_memory_everything_is_where_it_was(void **state) {
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        struct decide_result result = {.moves = "no memory"};
        for (unsigned at = 1; strcmp(result.moves, "no memory") == 0; at++) {
            assert_true(at < 100);
            decide_play(rows[i].scene, at, &result);
            if (!result.restored || result.blocks)
                fail_msg("%s: something is left without memory", rows[i].property);
        }
        assert_string_equal(result.moves, rows[i].moves);
    }
}

static void the_same_scene_has_the_same_plan(void **state) {
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        struct decide_result one, other;
        decide_play(rows[i].scene, 0, &one);
        decide_play(rows[i].scene, 0, &other);
        assert_string_equal(one.moves, other.moves);
        assert_string_equal(one.ops, other.ops);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_scene_has_its_plan),
        cmocka_unit_test(a_plan_that_is_not_run_leaves_nothing_behind),
        cmocka_unit_test(without_memory_everything_is_where_it_was),
        cmocka_unit_test(the_same_scene_has_the_same_plan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
