# The front door. Every target first installs what is missing (scripts/install-deps.sh says what it
# does and is silent when there is nothing to do), builds in build/ with meson and ninja, and goes on.
#
#   make run                     replay a recorded application with a quarter of the memory it wants
#   make run WORKLOAD=minetest VRAM=50%
#   make test                    the suite, without what is long; of tests that play many cases each eighth
#   make test-all                the whole suite, and what needs Slurm, Chromium or pandas, which it installs
#   make pictures                those of docs/ and README.md, by a browser and pandas
#   make check                   format, walls, circles, dialect, freestanding manager, suite
#   make bench                   what each piece of work reaches beside its limit: a table, build/bench.json;
#                                QUICK=1: fewer rounds
#   make bench-compare OLD=BUILD NEW=BUILD
#                                the same of two builds in turn
#   make evictions               policies over what nobody could beat; EVICTIONS='--seed 7 frame-loop'
#   make stress                  four processes over budget at random; STRESS_SECONDS=60
#   make fuzz SECONDS=60         libFuzzer targets for so long, all at once; corpora stay in build-fuzz/fuzz-corpus
#   make fuzz-driver             vidmm fuzz finds four planted mistakes from nothing, 5 minutes a seed; SEED=1
#   make sanitize | tsan         the suite under ASan+UBSan | TSan
#   make coverage                line coverage of manager with softgpu, referee, check
#   make matrix                  every workload, every amount of VRAM, every descriptor version, GpuMmu
#   make matrix-gpummu           every workload at every shape of page tables, a hundred frames
#   make matrix-contract         every workload with large pages, AGP, linked adapters and without;
#                                MATRIX='--quick -j 2' for a sample of short runs
#   make mutation                example drivers with one seeded mistake each, examined; COUNT=500 SEED=0
#   make unusual                 correct drivers of unusual shape, 5 times each and 5 times beside 8 busy loops
#   make settings                vidmm check and a run of the reference driver at COUNT settings drawn at random: others each
#                                time, or from SEED on, which it prints
#   make attacks                 COUNT attacks on a migration (475), and 200 kills of each of its sides; SEED=1
#   make faults                  each allocation of the checkers fails, in run, check and migrate, and other things are
#                                refused; counts of how they end
#   make images                  every example driver as an image (.sys), by mingw and by clang
#   make reference               the public headers as pages: build/reference/html
#   make install                 PREFIX=/usr/local
#   make uninstall               what the last make install put there
#   make clean

WORKLOAD ?= openarena-tour
VRAM ?= 25%
PREFIX ?= /usr/local
BENCH = $(if $(QUICK),VIDMM_BENCH_QUICK=1) python3 bench/table.py
COUNT ?= 500
SEED ?= 0

.PHONY: all reference images run test test-all pictures bench bench-compare evictions stress fuzz fuzz-driver check install uninstall clean sanitize tsan coverage matrix matrix-gpummu matrix-contract hostile mutation unusual settings attacks faults format deps deps-checks deps-all
.NOTPARALLEL:

all: deps
	@scripts/build.sh build

deps:
	@scripts/install-deps.sh build

deps-all:
	@scripts/install-deps.sh all

deps-checks:
	@scripts/install-deps.sh checks

run: deps
	@VIDMM_TARGETS=vidmm:executable scripts/build.sh build
	build/vidmm run --vram $(VRAM) $(WORKLOAD)

test: all
	@VIDMM_SHARE=8 scripts/run-tests.sh build --no-suite long --no-suite repeat

test-all: deps-all all
	@VIDMM_TEST_ALL=1 scripts/run-tests.sh build

pictures: deps-all all
	@scripts/pictures.py build/vidmm docs

bench: all
	@$(BENCH) build

bench-compare:
	@test -n "$(OLD)" && test -n "$(NEW)" || { echo "make bench-compare OLD=BUILD NEW=BUILD" >&2; exit 1; }
	@$(BENCH) --compare "$(OLD)" "$(NEW)"

evictions: all
	@VIDMM_WORKLOADS=$(CURDIR)/workloads bench/evictions.py build/vidmm $(EVICTIONS)

stress: all
	@build/tests/stress/stress

fuzz: deps-checks
	@scripts/fuzz.sh $(or $(SECONDS),60)

fuzz-driver: deps-checks all
	@tests/fuzz_driver/long.sh build 300 $(SEED)

check: deps-checks all
	@scripts/check-format.sh
	@scripts/check-walls.sh
	@scripts/check-circles.sh build
	@scripts/check-tidy.sh build
	@scripts/check-freestanding.sh build
	@scripts/run-tests.sh build

format: deps-checks
	@scripts/check-format.sh --fix

sanitize: deps
	@scripts/sanitize.sh address

tsan: deps
	@scripts/sanitize.sh thread

coverage: deps-checks
	@scripts/coverage.sh

matrix: all
	@tests/system/matrix.sh build/vidmm

matrix-gpummu: all
	@tests/system/matrix.sh --gpummu build/vidmm

matrix-contract: all
	@tests/system/contract_matrix.sh $(MATRIX) build/vidmm

hostile: all
	@VIDMM_WORKLOADS=$(CURDIR)/workloads tests/hostile/hostile_test.py build/vidmm build/tests/hostile/hostile.so build/drivers/ring-hardware.so --all

mutation: deps-checks all
	@tests/mutation/mutate.py build --count $(COUNT) --seed $(SEED)

unusual: deps-checks all
	@tests/unusual/repeat.sh build

faults: all
	@VIDMM_WORKLOADS=$(CURDIR)/workloads tests/faults/faults.py build/vidmm build/tests/faults/fail_alloc.so \
		--seed $(SEED) --list build/faults.txt

settings: deps-checks all
	@SETTINGS_SEED=$(if $(filter file,$(origin SEED)),$$(date +%s),$(SEED)) SETTINGS_COUNT=$(COUNT) \
		VIDMM_WORKLOADS=$(CURDIR)/workloads build/tests/check/settings

attacks: deps-checks all
	@VIDMM_WORKLOADS=$(CURDIR)/workloads tests/migrate/attacks.py build/vidmm $(if $(filter 500,$(COUNT)),,--count $(COUNT)) --seed $(SEED)
	@VIDMM_WORKLOADS=$(CURDIR)/workloads tests/system/migrate_kill_test.sh build/vidmm 400 $(SEED)

images: deps-checks all
	@scripts/build-images.sh build

reference: deps-checks
	@scripts/check-reference.sh && echo build/reference/html/index.html

install: all
	@meson configure build --prefix "$(PREFIX)"
	@meson install -C build
	@if [ "$$(id -u)" -eq 0 ] && [ -z "$(DESTDIR)" ]; then ldconfig || true; fi

uninstall:
	@test -f build/meson-logs/install-log.txt || { echo "make uninstall: nothing was installed from build/" >&2; exit 1; }
	@ninja -C build uninstall

clean:
	rm -rf build build-*/
