# The build of Transpose Lab. `make help` lists the targets and their variables.
#
# MODULES lists the folders. The names of source files determine their use: FILE.c is part of the program,
# FILE_test.c is a test program, FILE_test.sh is a test script, and FILE_fuzz.c is a fuzz target
# (profiler/tools/fuzz/fuzz.h). All files of the program except main.c are in one library, which the
# program and the tests link. An #include names a file by its path from profiler/ or from grading/.
#
# Variables select a build variant and its directory:
#   make BUILD=build/clang CC=clang
#   make BUILD=build/asan  SANITIZE=address,undefined
# `make check` (profiler/tools/check) builds and runs the variants.

ifeq ($(filter 3.% 4.0 4.1,$(MAKE_VERSION)),$(MAKE_VERSION))
$(error GNU make 4.2 or newer is required; this is version $(MAKE_VERSION))
endif

.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules

# Run one job per processor. The command line or a calling make may set another number of jobs. Run
# one job if a target must be complete before the next target begins.
ifeq ($(MAKELEVEL)$(filter -j%,$(MAKEFLAGS))$(filter clean deps format,$(MAKECMDGOALS)),0)
MAKEFLAGS += -j$(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
endif

# The path of this directory is used in make, the shell and C strings, so it must not contain these characters:
DOLLAR := $$
ifneq ($(strip $(foreach bad,' " \ ` $(DOLLAR),$(findstring $(bad),$(CURDIR)))),)
$(error The path of this directory contains a quote, a backslash or a dollar sign. Move the directory elsewhere)
endif

# The archive for students (make release-students) contains no solutions, tests or grader.
REPOSITORY := $(wildcard solutions)
ifeq ($(REPOSITORY),)
ABSENT := $(filter bench skeletons pictures handouts docs check% mutants fuzz grade gradescope-zip release-students format tests,$(MAKECMDGOALS))
ifneq ($(ABSENT),)
$(error make $(ABSENT) requires files of the course authors, which this copy does not contain. `make help` lists the targets)
endif
endif

# --- tools -------------------------------------------------------------------------------------------

# Use CC from the command line or the environment, else the first installed compiler.
ifeq ($(origin CC),default)
CC := $(firstword $(foreach name,gcc cc clang,$(if $(shell command -v $(name)),$(name))))
endif
AR ?= ar
CLANG_FORMAT ?= clang-format
Q := $(if $(V),,@)

NO_COMPILER := clean deps help format bench-gpu $(if $(CSV),figures) redraw skeletons check check-all course mutants fuzz
ifeq ($(CC),)
ifneq ($(filter-out $(NO_COMPILER),$(or $(MAKECMDGOALS),all)),)
$(error No C compiler (gcc, cc or clang) is installed. On Debian: apt-get install gcc libc6-dev)
endif
else
TARGET := $(shell $(CC) -dumpmachine 2>&1)
endif

# --- what is built -----------------------------------------------------------------------------------

VERSION := 2026.11
BUILD ?= build
SANITIZE ?=
WERROR ?= -Werror

# Rubrics and `tlab grade` require these libraries. A tlab built without them reports what is missing.
GOALS_LIBRARIES := jansson nettle
GOALS_HEADERS := jansson.h nettle/sha2.h
GRADING_LIBRARIES := $(GOALS_LIBRARIES) archive seccomp utf8proc
GRADING_HEADERS := $(GOALS_HEADERS) archive.h seccomp.h utf8proc.h
ifneq ($(CC),)
has_headers = $(shell printf '$(foreach header,$(1),\043include <$(header)>\n)' | $(CC) -E -x c - >/dev/null 2>&1 && echo yes)
GOALS := $(call has_headers,$(GOALS_HEADERS))
GRADING := $(if $(and $(GOALS),$(wildcard grading/command_grade.c)),$(call has_headers,$(GRADING_HEADERS)))
endif

# In dependency order: a module includes only itself and earlier modules (profiler/tools/arrows_test.sh).
MODULES := $(addprefix profiler/,base process text $(addprefix emulator/,ptx device guest cost races alu decode warp sinks time) emulator \
	record cuda/exec cuda $(addprefix cuda/,core checks runtime_api driver_api versions) course diagnose compile hardware/cupti hardware/gpu goals run hardware/calibrate view picture \
	commands) \
	$(addprefix grading/,intake sandbox judge marks report class) grading profiler
GRADING_MODULES := $(filter grading%,$(MODULES))
RUBRIC_SOURCES := $(wildcard profiler/goals/*_*.c $(patsubst %,profiler/goals/%.c,digest draw rubric seed))
FOUND := $(sort $(filter-out $(if $(GOALS),profiler/goals/absent.c,$(RUBRIC_SOURCES)), \
	$(wildcard $(patsubst %,%/*.c,$(filter-out $(GRADING_MODULES),$(MODULES))))) \
	$(if $(GRADING),$(filter-out grading/absent.c,$(wildcard $(GRADING_MODULES:%=%/*.c))),grading/absent.c))
TEST_SOURCES := $(filter %_test.c,$(FOUND))
FUZZ_SOURCES := $(filter %_fuzz.c,$(FOUND))
INJECT_SOURCE := profiler/hardware/cupti/inject.c
SOURCES := $(filter-out %_test.c %_fuzz.c $(INJECT_SOURCE),$(FOUND))

# The arithmetic is compiled once for each instruction set; alu_select.c selects one at run time.
ALU_SOURCES := $(filter profiler/emulator/alu/alu_vector.c,$(SOURCES))
ISAS := generic
ifneq ($(filter x86_64-% amd64-%,$(TARGET)),)
ISAS += avx2 avx512
endif
ISA_FLAGS_generic :=
ISA_FLAGS_avx2 := -mavx2 -mfma
ISA_FLAGS_avx512 := -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx2 -mfma

# The source files in which an emulated run spends most of its time.
HOT_SOURCES := $(filter profiler/emulator/warp/%.c profiler/emulator/sinks/%.c profiler/emulator/decode/%.c profiler/emulator/cost/%.c profiler/emulator/guest/%.c profiler/emulator/races/%.c \
	profiler/course/matrix.c profiler/diagnose/verify.c,$(SOURCES))

PLAIN_SOURCES := $(filter-out $(ALU_SOURCES) profiler/main.c,$(SOURCES))
LIBRARY_OBJECTS := $(PLAIN_SOURCES:%.c=$(BUILD)/obj/%.o) \
	$(foreach isa,$(ISAS),$(ALU_SOURCES:%.c=$(BUILD)/obj/%.$(isa).o))
MAIN_OBJECT := $(BUILD)/obj/profiler/main.o
TEST_OBJECTS := $(TEST_SOURCES:%.c=$(BUILD)/obj/%.o)
TESTS := $(TEST_SOURCES:%.c=$(BUILD)/tests/%)

# A fuzz target uses libFuzzer's main function if the code is instrumented for libFuzzer. Otherwise
# the target uses the main function of replay.c, which runs the target on files.
FUZZERS := $(FUZZ_SOURCES:%.c=$(BUILD)/fuzz/%)
FUZZ_MAIN := $(if $(findstring fuzzer-no-link,$(SANITIZE)),,$(BUILD)/obj/profiler/tools/fuzz/replay.o)
FUZZ_OBJECTS := $(FUZZ_SOURCES:%.c=$(BUILD)/obj/%.o) $(BUILD)/obj/profiler/tools/fuzz/replay.o
OBJECTS := $(LIBRARY_OBJECTS) $(MAIN_OBJECT) $(TEST_OBJECTS) $(FUZZ_OBJECTS)

# Hardware counters require CUPTI's headers (CUDA Toolkit 12.6 or newer) to build tlab, and CUPTI's
# library to run tlab. A toolkit has the headers in one of three places.
CUDA_ROOTS := $(or $(TLAB_CUDA),$(CUDA_HOME) $(CUDA_PATH) /usr/local/cuda $(wildcard /usr/local/cuda-*))
cuda_header = $(firstword $(wildcard $(foreach root,$(CUDA_ROOTS),$(addprefix $(root)/,\
	include/$(1) extras/CUPTI/include/$(1) targets/*/include/$(1)))))
CUPTI_HEADER := $(call cuda_header,cupti_range_profiler.h)
CUDA_HEADER := $(call cuda_header,cuda.h)
CUPTI_FLAGS :=
INJECT_LIBRARY :=
ifneq ($(and $(CUPTI_HEADER),$(CUDA_HEADER)),)
CUPTI_FLAGS := -DHAVE_CUPTI -isystem $(patsubst %/,%,$(dir $(CUPTI_HEADER))) \
	-isystem $(patsubst %/,%,$(dir $(CUDA_HEADER))) -Iprofiler/hardware/cupti/cxx_stub
INJECT_LIBRARY := $(BUILD)/libtlab_inject.so
endif

# The CUDA runtime and driver for `tlab exec` are one library with all functions, on which
# libcudart.so.12 and .13 and libcuda.so.1 depend. Sanitized builds lack this library, because a
# program that loads it would have to load the sanitizer's runtime first. lz4 and zstd unpack fat binaries.
VERSION_SOURCE := profiler/cuda/versions/version.c
CUDA_OBJECTS := $(patsubst %.c,$(BUILD)/obj/%.o,$(filter-out $(VERSION_SOURCE),$(filter \
	$(addprefix profiler/cuda/,runtime_api/%.c driver_api/%.c checks/%.c),$(SOURCES))))
CUDA_LIBRARY := $(BUILD)/runtime/libtlab_cuda.so
RUNTIMES := $(if $(SANITIZE),,$(foreach version,12 13,$(BUILD)/runtime/libcudart.so.$(version)))
DRIVERS := $(if $(SANITIZE),,$(addprefix $(BUILD)/runtime/,libcuda.so.1 libnvrtc.so.12 libnvrtc.so.13))
has_header = $(if $(CC),$(shell printf '\043include <$(1)>\n' | $(CC) -E -x c - >/dev/null 2>&1 && echo yes))
LZ4 := $(call has_header,lz4.h)
ZSTD := $(call has_header,zstd.h)
UNPACK_FLAGS := $(if $(LZ4),-DHAVE_LZ4) $(if $(ZSTD),-DHAVE_ZSTD)
UNPACK_LIBRARIES := $(if $(LZ4),-llz4) $(if $(ZSTD),-lzstd)

# The full-screen view of `tlab watch` requires ncurses.
NCURSES := $(call has_header,ncurses.h)

# The sources of libtlab_inject.so, which is loaded into other programs.
INJECT_SOURCES := $(INJECT_SOURCE) $(addprefix profiler/,hardware/cupti/cupti_library.c hardware/cupti/metrics.c \
	hardware/cupti/metric_plan.c hardware/cupti/range_session.c hardware/cupti/driver.c record/record.c record/record_save.c \
	base/whole_file.c base/neutral_locale.c base/failure.c base/paths.c process/toolkit.c)

# --- flags -------------------------------------------------------------------------------------------

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wformat=2 $(WERROR)
TLAB_CPPFLAGS := -Iprofiler -Igrading
# Code is position-independent and names are hidden, because the CUDA runtime is linked from the same objects.
TLAB_CFLAGS := -std=gnu11 $(WARNINGS) -g -ffp-contract=off -fstack-protector-strong -pthread \
	-fPIC -fvisibility=hidden
TLAB_LDLIBS := $(UNPACK_LIBRARIES) $(if $(NCURSES),-lncursesw) $(patsubst %,-l%,$(if $(GRADING),$(GRADING_LIBRARIES),$(if $(GOALS),$(GOALS_LIBRARIES)))) -lm -lpthread -ldl

# Results must be bit-identical with every compiler and instruction set, so -ffast-math is not used.
# ALU_FLAGS only state that no code reads errno or the exception flags, so that loops are vectorized.
ALU_FLAGS := -fno-math-errno -fno-trapping-math

ifeq ($(SANITIZE),)
OPTIMISE := -O2
OPTIMISE_HOT := -O3
COLD_SOURCES := $(filter-out profiler/emulator/%,$(TEST_SOURCES))
TLAB_CPPFLAGS += -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
else
OPTIMISE := -O1
OPTIMISE_HOT := -O1
COLD_SOURCES := $(filter-out $(addprefix profiler/,emulator/% diagnose/% text/% course/% process/%),$(SOURCES) $(TEST_SOURCES))
TLAB_CFLAGS += -fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer
endif

# The compiler takes less time without optimization, and the tests do not take longer. -O0 excludes _FORTIFY_SOURCE.
OPTIMISE_COLD := -O0 -U_FORTIFY_SOURCE

# The compiler options for SOURCE: $(call compile_flags,SOURCE[,ISA]).
compile_flags = $(TLAB_CPPFLAGS) $(CPPFLAGS) $(TLAB_CFLAGS) \
	$(if $(filter $(HOT_SOURCES) $(ALU_SOURCES),$(1)),$(OPTIMISE_HOT),$(if $(filter $(COLD_SOURCES),$(1)),$(OPTIMISE_COLD),$(OPTIMISE))) \
	$(if $(2),$(ALU_FLAGS) -DISA=$(2) $(ISA_FLAGS_$(2))) \
	$(if $(filter profiler/main.c,$(1)),-DTLAB_VERSION='"$(VERSION)"') \
	$(if $(filter profiler/base/paths.c %_test.c %_fuzz.c,$(1)),-DTLAB_ROOT="\"$(CURDIR)\"") \
	$(if $(filter profiler/hardware/%,$(1)),$(CUPTI_FLAGS)) \
	$(if $(filter profiler/commands/screen.c,$(1)),$(if $(NCURSES),-DHAVE_NCURSES)) \
	$(if $(filter profiler/cuda/%,$(1)),$(UNPACK_FLAGS)) $(CFLAGS)

# --- progress ----------------------------------------------------------------------------------------

# Each step prints "[12/480] CC file" and, after the first ten steps, the estimated remaining time.
# make -n counts the steps. COUNTING prevents make -n from treating the flags as out of date.
ifeq ($(MAKELEVEL)$(COUNTING)$(findstring n,$(filter-out --%,$(firstword -$(MAKEFLAGS)))),0)
ifneq ($(filter-out $(NO_COMPILER),$(or $(MAKECMDGOALS),all)),)
STEPS := $(shell $(MAKE) -n -j1 COUNTING=1 $(MAKEOVERRIDES) \
	$(filter all tests fuzzers $(BUILD)/%,$(or $(MAKECMDGOALS),all)) 2>/dev/null | grep -c "^: step")
STARTED := $(shell date +%s)
endif
endif
step = : step; $(if $(STEPS),$(eval DONE += x)n=$(words $(DONE)); left=$$(( ($$(date +%s) - $(STARTED)) \
	* ($(STEPS) - n) / n)); echo "[$$n/$(STEPS)] $(1)$$([ $$n -lt 10 ] || \
	[ $$left -lt 5 ] || echo ", $$left s left")",echo "  $(1)")

# --- rules -------------------------------------------------------------------------------------------

.PHONY: all modules tests fuzzers
all: $(BUILD)/tlab $(BUILD)/install/libtlab.a
	@echo "C compiler    $(CC)"
	@$(BUILD)/tlab doctor --brief

modules:
	@printf '%s\n' $(MODULES)

tests: $(TESTS)
fuzzers: $(FUZZERS)

# Write the headers that are empty or only include another header (profiler/compile/stand_ins/names).
HOST_HEADERS := profiler/compile/stand_ins/host
$(HOST_HEADERS): profiler/compile/stand_ins/names
	@mkdir -p $@/sys $@/cuda/std
	@while read -r name header; do \
		case $$name in cuda/std/*) up=../../../;; */*) up=../../;; *) up=../;; esac; \
		if [ "$$header" ]; then echo "#include \"$$up$$header\""; else echo '/* Kernels use nothing of this header. */'; fi \
			>$@/$$name || exit 1; done <$<
	@touch $@

$(BUILD)/tlab $(TESTS) $(FUZZERS): | $(HOST_HEADERS)

$(BUILD)/tlab: $(MAIN_OBJECT) $(BUILD)/libtlab.a | $(INJECT_LIBRARY) $(RUNTIMES) $(DRIVERS)
	@$(call step,LD      $@)
	$(Q)$(CC) $(TLAB_CFLAGS) $(OPTIMISE) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS) $(TLAB_LDLIBS)

$(BUILD)/libtlab.a: $(LIBRARY_OBJECTS) $(BUILD)/library.list
	@$(call step,AR      $@)
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $(LIBRARY_OBJECTS)

# This library is built without sanitizers, because the programs that load it contain no sanitizer runtime.
$(BUILD)/libtlab_inject.so: Makefile $(INJECT_SOURCES) $(wildcard profiler/base/*.h profiler/process/*.h profiler/record/*.h profiler/hardware/*/*.h) $(BUILD)/flags
	@$(call step,LD      $@)
	$(Q)$(CC) $(TLAB_CPPFLAGS) $(CPPFLAGS) $(filter-out -fsanitize% -fno-sanitize%,$(TLAB_CFLAGS)) \
		$(OPTIMISE) $(CUPTI_FLAGS) $(filter-out -fsanitize%,$(CFLAGS)) -fPIC -fvisibility=hidden -shared -Wl,-z,defs \
		-o $@ $(INJECT_SOURCES) -lm -ldl -lpthread

$(CUDA_LIBRARY): $(CUDA_OBJECTS) $(BUILD)/libtlab.a
	@$(call step,LD      $@)
	@mkdir -p $(@D)
	@printf '{ global: cu*; __cuda*; local: *; };\n' > $@.map
	$(Q)$(CC) $(TLAB_CFLAGS) $(OPTIMISE) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(@F) \
		-Wl,--version-script=$@.map -Wl,--gc-sections -o $@ $(CUDA_OBJECTS) $(BUILD)/libtlab.a \
		$(LDLIBS) $(UNPACK_LIBRARIES) -lm -lpthread -ldl

# Programs request NVIDIA's library by a name that includes its version.
$(RUNTIMES): $(BUILD)/runtime/libcudart.so.%: $(VERSION_SOURCE) profiler/cuda/versions/version.h $(CUDA_LIBRARY)
	@$(call step,LD      $@)
	@printf 'libcudart.so.$* { global: cu*; local: *; };\n' > $@.map
	$(Q)$(CC) $(TLAB_CPPFLAGS) $(TLAB_CFLAGS) $(OPTIMISE) $(CFLAGS) $(LDFLAGS) -DVERSION=$* -shared \
		-Wl,-soname,libcudart.so.$* -Wl,--version-script=$@.map -Wl,-rpath,'$$ORIGIN' -o $@ \
		$(VERSION_SOURCE) $(CUDA_LIBRARY)

$(BUILD)/runtime/libcuda.so.1: $(CUDA_LIBRARY)
	@$(call step,LD      $@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -shared -nostdlib -Wl,-soname,libcuda.so.1 -Wl,--no-as-needed \
		-Wl,-rpath,'$$ORIGIN' -o $@ $(CUDA_LIBRARY)

$(BUILD)/runtime/libnvrtc.so.%: profiler/cuda/driver_api/libraries/nvrtc.c $(BUILD)/libtlab.a
	@$(call step,LD      $@)
	@mkdir -p $(@D)
	@printf 'libnvrtc.so.$* { global: nvrtc*; local: *; };\n' > $@.map
	$(Q)$(CC) $(TLAB_CPPFLAGS) $(TLAB_CFLAGS) $(OPTIMISE) $(CFLAGS) $(LDFLAGS) -shared \
		-Wl,-soname,libnvrtc.so.$* -Wl,--version-script=$@.map -Wl,--gc-sections -o $@ $< $(BUILD)/libtlab.a -ldl

$(TESTS): $(BUILD)/tests/%: $(BUILD)/obj/%.o $(BUILD)/libtlab.a
	@$(call step,LD      $@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(TLAB_CFLAGS) $(OPTIMISE) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS) -lcmocka $(TLAB_LDLIBS)

$(FUZZERS): $(BUILD)/fuzz/%: $(BUILD)/obj/%.o $(FUZZ_MAIN) $(BUILD)/libtlab.a
	@$(call step,LD      $@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(subst fuzzer-no-link,fuzzer,$(TLAB_CFLAGS)) $(OPTIMISE) $(CFLAGS) $(LDFLAGS) -o $@ $^ \
		$(LDLIBS) $(TLAB_LDLIBS)

$(PLAIN_SOURCES:%.c=$(BUILD)/obj/%.o) $(MAIN_OBJECT) $(TEST_OBJECTS) $(FUZZ_OBJECTS): $(BUILD)/obj/%.o: %.c $(BUILD)/flags
	@$(call step,CC      $<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(call compile_flags,$<) -MMD -MP -c -o $@ $<

define ISA_RULE
$(BUILD)/obj/%.$(1).o: %.c $(BUILD)/flags
	@$$(call step,CC      $$< ($(1)))
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(call compile_flags,$$<,$(1)) -MMD -MP -c -o $$@ $$<
endef
$(foreach isa,$(ISAS),$(eval $(call ISA_RULE,$(isa))))

# These files are written only if their text changes, so that objects are recompiled if the compiler or
# its flags change, and the library is rebuilt if a source file is removed.
$(BUILD)/flags: export TEXT = $(CC) $(TARGET) $(CURDIR) $(call compile_flags,$(firstword $(HOT_SOURCES))) \
	$(OPTIMISE) $(OPTIMISE_COLD) $(ALU_FLAGS) $(foreach isa,$(ISAS),$(ISA_FLAGS_$(isa))) $(CUPTI_FLAGS) $(NCURSES)
$(BUILD)/library.list: export TEXT = $(LIBRARY_OBJECTS)
$(BUILD)/flags $(BUILD)/library.list: $(if $(COUNTING),,FORCE)
	@mkdir -p $(@D)
	@printf '%s\n' "$$TEXT" | cmp -s - $@ || printf '%s\n' "$$TEXT" > $@

.PHONY: FORCE
FORCE:

-include $(OBJECTS:.o=.d)

# --- the course --------------------------------------------------------------------------------------

DIR ?= $(if $(REPOSITORY),solutions,labs)
COURSE ?=
DEVICE ?=
SIZE ?=
SUBMISSIONS ?=
OUT ?= out/grades
GRADE ?=
SEED ?=
ZIP ?= out/gradescope.zip
INSTRUCTOR ?=
RELEASE ?= out/transpose-lab-students.tar.gz

.PHONY: course figures redraw bench bench-gpu doctor skeletons pictures handouts docs
course:
	@profiler/tools/deps.sh course
	@$(MAKE) --no-print-directory all
	@profiler/tools/course.sh "$(DIR)" "$(DEVICE)" "$(SIZE)" "$(COURSE)"

COMMA := ,
ifneq ($(CSV),)
figures:
	@plots/render "$(CSV)" "$$(dirname "$(CSV)")"
else
figures: all
	@plots/run_sweeps out/figures $(subst $(COMMA), ,$(DEVICE))
	@[ -n "$(DEVICE)" ] || plots/published/make_figures out/figures
	@[ -n "$(DEVICE)" ] || plots/evidence out/figures
endif

redraw:
	@plots/redraw "$(or $(OUT:out/grades=),docs/results)"

bench: all $(BUILD)/bench/measure $(BUILD)/bench/throughput
	@profiler/tools/bench/bench.sh $(BUILD)/bench/measure
	@echo
	@$(BUILD)/bench/throughput profiler/tools/bench/throughput.cu

# Compare the record ladder with cuBLAS, Triton and PyTorch on a GPU, or draw the figure of CSV=FILE.
bench-gpu:
	@profiler/tools/bench/record.sh $(if $(CSV),--draw "$$(dirname "$(CSV)")",$(if $(filter file,$(origin OUT)),out/bench-gpu,"$(OUT)"))

$(BUILD)/bench/measure: profiler/tools/bench/measure.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(Q)$(CC) $(call compile_flags,$<) -o $@ $<

$(BUILD)/bench/throughput: profiler/tools/bench/throughput.c $(BUILD)/libtlab.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(call compile_flags,$<) -o $@ $^ $(LDLIBS) $(TLAB_LDLIBS)

doctor: $(BUILD)/tlab
	@$(BUILD)/tlab doctor

skeletons:
	@solutions/make_skeletons

pictures: $(BUILD)/tlab
	@TLAB=$(BUILD)/tlab solutions/make_pictures
	@solutions/make_skeletons

handouts:
	@profiler/tools/deps.sh handouts
	@docs/handouts/make_handouts $(if $(filter-out no,$(INSTRUCTOR)),--instructor)

docs: $(BUILD)/tlab
	@$(BUILD)/tlab metrics --markdown > $(BUILD)/counters.md
	@cp $(BUILD)/counters.md docs/counters.md
	@echo "  WROTE   docs/counters.md"

# --- checks and upkeep -------------------------------------------------------------------------------

.PHONY: check check-all mutants fuzz check-gpu check-metrics grade gradescope-zip release-students deps format clean help
MAKE_PROGRAM := $(MAKE) # a recipe that contains $(MAKE) would run even in `make -n check`
check:
	@profiler/tools/deps.sh check
	@MAKE="$(strip $(MAKE_PROGRAM))" profiler/tools/check quick

check-all:
	@profiler/tools/deps.sh check check-all
	@MAKE="$(strip $(MAKE_PROGRAM))" profiler/tools/check all

MUTANTS ?= .
mutants:
	@MAKE="$(strip $(MAKE_PROGRAM))" profiler/tools/mutants "$(MUTANTS)"

FUZZ ?=
SECONDS ?= 60
fuzz:
	@profiler/tools/deps.sh fuzz
	@MAKE="$(strip $(MAKE_PROGRAM))" profiler/tools/fuzz/fuzz.sh "$(SECONDS)" $(FUZZ)

check-gpu: $(BUILD)/tlab
	@TLAB=$(BUILD)/tlab profiler/hardware/gpu/gpu_test.sh
	@TLAB=$(BUILD)/tlab profiler/hardware/cupti/profile_test.sh
	@TLAB=$(BUILD)/tlab grading/gpu_test.sh
	@solutions/sanitizer_test.sh

grade:
	@profiler/tools/deps.sh course grade
	@$(MAKE) --no-print-directory all
	@[ -n "$(SUBMISSIONS)" ] || { echo 'make grade: name the directory of submissions: make grade SUBMISSIONS=DIR' >&2; exit 2; }
	@$(BUILD)/tlab grade "$(SUBMISSIONS)" --out "$(OUT)" $(GRADE)

release-students:
	@solutions/release_students "$(RELEASE)"

gradescope-zip:
	@profiler/tools/deps.sh gradescope
	@SEED="$(SEED)" grading/gradescope/make_zip "$(ZIP)" $(GRADE)

check-metrics: $(BUILD)/tests/profiler/hardware/cupti/metrics_test
	@$(BUILD)/tests/profiler/hardware/cupti/metrics_test

deps:
	@profiler/tools/deps.sh course $(if $(REPOSITORY),check grade)

FORMATTED := $(wildcard $(foreach module,$(MODULES) profiler/tools/bench profiler/tools/fuzz,$(module)/*.[ch]))
format:
	$(Q)$(CLANG_FORMAT) -i $(FORMATTED)

COMPILE_COMMANDS ?= compile_commands.json
.PHONY: compile_commands.json
compile_commands.json:
	$(file >$(BUILD).commands,)$(foreach source,$(SOURCES) $(TEST_SOURCES) $(FUZZ_SOURCES),$(file \
		>>$(BUILD).commands,$(source)	$(CC) $(call compile_flags,$(source),$(if $(filter \
		$(ALU_SOURCES),$(source)),generic)) -c -o $(BUILD)/obj/$(source:.c=.o) $(source)))
	@profiler/tools/compile_commands.sh "$(CURDIR)" <$(BUILD).commands >$(COMPILE_COMMANDS)
	@rm $(BUILD).commands
	@echo "  WROTE   $(COMPILE_COMMANDS)"

# PREFIX/bin/tlab is a link into this directory, because tlab needs the labs there. The library
# contains only the emulator, for other programs (docs/examples/emulate.c).
PREFIX ?= $(if $(filter 0,$(shell id -u)),/usr/local,$(HOME)/.local)
EMULATOR_OBJECTS := $(filter $(BUILD)/obj/profiler/base/% $(BUILD)/obj/profiler/process/% $(BUILD)/obj/profiler/text/% $(BUILD)/obj/profiler/emulator/%,$(LIBRARY_OBJECTS))
# BUILT=yes installs without building, so that a test can install while other tests use the build.
BUILT ?=
.PHONY: install
install: $(if $(BUILT),,all $(BUILD)/install/libtlab.a)
	@install -d $(foreach folder,bin include lib/pkgconfig share/man/man1 share/bash-completion/completions \
		share/tlab/devices,"$(DESTDIR)$(PREFIX)/$(folder)")
	@profiler/tools/manual $(BUILD)/tlab >"$(DESTDIR)$(PREFIX)/share/man/man1/tlab.1"
	@install -m 644 profiler/tools/tlab.bash "$(DESTDIR)$(PREFIX)/share/bash-completion/completions/tlab"
	@install -m 644 profiler/emulator/tlab.h "$(DESTDIR)$(PREFIX)/include/tlab.h"
	@install -m 644 $(BUILD)/install/libtlab.a "$(DESTDIR)$(PREFIX)/lib/libtlab.a"
	@install -m 644 profiler/devices/*.conf "$(DESTDIR)$(PREFIX)/share/tlab/devices"
	@printf '%s\n' 'prefix=$(PREFIX)' 'devices=$${prefix}/share/tlab/devices' '' 'Name: tlab' \
		'Description: PTX kernels on emulated GPUs' 'Version: $(VERSION)' 'Cflags: -I$${prefix}/include' \
		'Libs: -L$${prefix}/lib -ltlab -lm -lpthread' >"$(DESTDIR)$(PREFIX)/lib/pkgconfig/tlab.pc"
	@ln -sf "$(CURDIR)/$(BUILD)/tlab" "$(DESTDIR)$(PREFIX)/bin/tlab"
	@echo "  WROTE   $(DESTDIR)$(PREFIX)/bin/tlab, its manual page and completion for bash, and libtlab.a"

$(BUILD)/install/libtlab.a: $(EMULATOR_OBJECTS)
	@mkdir -p $(@D)
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

clean:
	rm -rf build $(HOST_HEADERS) compile_commands.json

.PHONY: help-targets help-repository help-variables
help: help-variables
help-variables: $(if $(REPOSITORY),help-repository,help-targets)
help-repository: help-targets

help-targets:
	@echo 'Targets'
	@echo '  make                        build build/tlab and list the tools of this machine'
	@echo '  make course                 run the solutions of a course, write out/course.csv and its charts'
	@echo '                              DIR=labs      run the labs in that directory instead'
	@echo '                              COURSE=sum    run another course: sum, stencil or record'
	@echo '                              DEVICE=a100   emulate that device (build/tlab devices lists all devices)'
	@echo '                              SIZE=4096     use that size, or ROWSxCOLS'
	@echo '  make figures CSV=FILE       draw the charts of a CSV file, in the directory of the file'
	@echo '  make doctor                 list installed and missing tools, and how to install what is missing'
	@echo '  make deps                   install missing packages (Debian)'
	@echo '  make install                install tlab, its manual page, bash completion, tlab.h and libtlab.a in'
	@echo '                              ~/.local, or in /usr/local as root'
	@echo '                              PREFIX=DIR    install in that directory'
	@echo '  make compile_commands.json  write the compile commands of all files and kernels, for editors (clangd)'
	@echo '  make clean                  remove the build; out/ is not removed'
	@echo '  make help                   print this text'

help-repository:
	@echo 'For instructors and authors'
	@echo '  make handouts               make all handouts for printing and for the screen, in out/handouts'
	@echo '                              INSTRUCTOR=yes with notes and answers, in out/handouts-instructor'
	@echo '  make grade SUBMISSIONS=DIR  grade a class; writes OUT (default out/grades)'
	@echo "                              GRADE='--jobs 4' more options (build/tlab grade --help)"
	@echo '  make release-students       make the archive for students: RELEASE (default'
	@echo '                              out/transpose-lab-students.tar.gz)'
	@echo '  make gradescope-zip         make the autograder for Gradescope: ZIP (default out/gradescope.zip)'
	@echo "                              SEED=FILE     the secret seed of the autograder (default: a new one)"
	@echo '  make check                  run the tests, in about 15 minutes on two processors'
	@echo "                              ONLY='alu|simt'  only tests whose names match"
	@echo '  make check-all              run every test: other compilers and sanitizers, large sizes, Slurm, a'
	@echo '                              browser; skips only tests that require a GPU'
	@echo '  make mutants                insert small errors, one at a time, and count those that the tests detect'
	@echo '                              COUNT=150 SEED=2 MUTANTS=grading/marks  number, seed and files of the errors'
	@echo '  make fuzz                   fuzz every parser of untrusted input with libFuzzer'
	@echo '                              SECONDS=600   time per target (default 60)'
	@echo '                              FUZZ=ptx_fuzz fuzz only that target'
	@echo '  make check-gpu              run the tests that require a GPU (without a GPU, skip them)'
	@echo '  make check-metrics          check the names of hardware metrics with CUPTI (requires no GPU)'
	@echo '  make figures                draw every figure, in out/figures: the course on three GPUs, by size and by'
	@echo '                              block shape, rooflines, five published tables next to emulated and measured'
	@echo '                              values, and the model against measurements'
	@echo '                              WIDTH=8.5cm   one column of a paper, without titles (two columns: 17.5cm)'
	@echo '  make redraw                 draw the figures of docs/results from its CSV files, or the figures of OUT=DIR'
	@echo '  make figures DEVICE=a100    draw the figures of the course on one device or several (a100,h200; gpu)'
	@echo '  make bench                  measure the emulator on the solutions; with SAMPLES=DIR, also on two programs'
	@echo '                              of a checkout of cuda-samples'
	@echo '  make bench-gpu              compare the record ladder with cuBLAS, Triton and PyTorch on this GPU; writes a'
	@echo '                              table and a figure to OUT (default out/bench-gpu);'
	@echo '                              CSV=DIR/record.csv  draw saved measurements'
	@echo '  make skeletons              make labs/ from solutions/'
	@echo '  make pictures               draw the pictures of the handouts from real runs, then make labs/'
	@echo '  make docs                   make docs/counters.md from the table of columns'
	@echo '  make tests                  build the unit tests (in build/tests)'
	@echo '  make format                 clang-format the C files'

help-variables:
	@echo 'Variables of any build'
	@echo '  CC=clang CFLAGS=... V=1     the compiler, additional flags, print all commands'
	@echo '  WERROR=                     do not treat warnings as errors (for newer compilers)'
	@echo '  BUILD=build/asan SANITIZE=address,undefined    a separate build with sanitizers'
	@echo 'Environment'
	@echo '  TLAB_CUDA=DIR or none       use the CUDA Toolkit in DIR, or no toolkit'
	@echo '  TLAB_INSTALL=no             list missing packages without installing them'
