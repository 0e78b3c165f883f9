"""The stages of script/test, in order. Every stage is run even if one before it failed."""

import argparse
import concurrent.futures
import subprocess
import sys
import time

import dashboard
import fuzzing
import programs
import walk
from tally import Tally

FUZZ_S = 60
FUZZ_QUICK_S = 10
# These need what release has built, and one after the other they leave a core idle: they run beside its tests.
BESIDE_RELEASE = ["dashboard", "walk"]


def main():
    parser = argparse.ArgumentParser(prog="script/test")
    parser.add_argument("--quick", action="store_true", help=f"fuzz for {FUZZ_QUICK_S} s a target only")
    parser.add_argument("--fuzz-seconds", type=positive, metavar="N", help="fuzz for N s a target, e.g. 3600")
    parser.add_argument("--long", action="store_true", help="also run the suites named *Long, and the lists of the dashboard among a million tasks")
    parser.add_argument("--tsan", default="", help=argparse.SUPPRESS)
    parser.add_argument("--stages", default="", help="only these, e.g. tidy,release")
    options = parser.parse_args()

    tally = Tally()
    stages = {
        "tidy": lambda: tidy(tally),
        "release": lambda: everything("release", tally, options.long, beside=beside_release),
        "dashboard": lambda: dashboard.run(tally, options.long),
        "walk": lambda: walk_pages(tally),
        "asan": lambda: everything("asan", tally, options.long),
        "tsan": lambda: threaded(options.tsan.split(), tally, options.long),
        "fuzz": lambda: fuzz(options.fuzz_seconds or (FUZZ_QUICK_S if options.quick else FUZZ_S), tally),
    }
    chosen = options.stages.split(",") if options.stages else list(stages)
    if unknown := [name for name in chosen if name not in stages]:
        parser.error(f"no stage {', '.join(unknown)}; there are {', '.join(stages)}")
    together = [name for name in BESIDE_RELEASE if name in chosen and "release" in chosen]
    beside_release = [lambda name=name: run_stage(name, stages[name], tally) for name in together]
    try:
        for name in chosen:
            if name not in together:
                run_stage(name, stages[name], tally)
    except KeyboardInterrupt:
        tally.add_failure("run", "interrupted")
    sys.exit(tally.close())


def positive(text):
    if (number := int(text)) < 1:
        raise ValueError
    return number


def run_stage(name, stage, tally):
    print(f"== {name}", flush=True)
    begin = time.monotonic()
    try:
        stage()
    except Exception as error:  # the boundary of a stage: the closing line must come in any case
        tally.add_failure(name, f"{type(error).__name__}: {error}")
    print(f"== {name} took {time.monotonic() - begin:.0f} s", flush=True)


def tidy(tally):
    checks = {
        "tidy": ["script/tidy"],
        "format": ["script/format", "--check"],
        "scripts": [sys.executable, "-B", "-m", "unittest", "discover", "-s", "script/lib", "-p", "*_test.py"],
        "dashboard types": ["npm", "--silent", "--prefix", "dashboard", "run", "check"],
        "openapi": ["npm", "--silent", "--prefix", "tools/openapi", "run", "lint"],
    }
    for name, command in checks.items():
        if succeeds(command, name, tally):
            tally.add_passed()


def everything(configuration, tally, long, beside=()):
    """Builds, and runs all test programs; beside them, what else needs the build."""
    if not build(configuration, tally):
        return
    with concurrent.futures.ThreadPoolExecutor() as pool:
        others = [pool.submit(run) for run in beside]
        programs.run_all(programs.find(f"build/{configuration}"), configuration, tally, long=long)
        for other in others:
            other.result()


def walk_pages(tally):
    found, unused = programs.select(programs.find("build/release"), ["e2e"])
    if unused or not found[0].command:
        tally.add_failure("walk", "it needs the stage release before it")
        return
    walk.walk(found[0].command[0], tally)


def threaded(patterns, tally, long):
    """Only the programs that start threads are built and run."""
    if not succeeds(["cmake", "--preset", "tsan"], "tsan configure", tally):
        return
    chosen, unused = programs.select(programs.find("build/tsan"), patterns)
    for pattern in unused:
        tally.add_failure("tsan", f"no test program fits '{pattern}'; mend tsan_programs in script/test")
    targets = [program.name for program in chosen]
    if not targets or not build("tsan", tally, "--target", *targets):
        return
    chosen, _ = programs.select(programs.find("build/tsan"), patterns)  # ctest gives a command once it exists
    programs.run_all(chosen, "tsan", tally, long=long)


def fuzz(seconds, tally):
    if not build("fuzz", tally, "--target", "fuzz/all"):
        return
    targets = fuzzing.find("build/fuzz/fuzz")
    if not targets:
        tally.add_failure("fuzz", "no target was built; they are named fuzz_* or *_fuzz")
    fuzzing.run_all(targets, "build/fuzz", seconds, tally)


def build(preset, tally, *arguments):
    begin = time.monotonic()
    command = 'source script/lib/common.sh; build_preset "$@"'
    good = succeeds(["bash", "-euc", command, "build", preset, *arguments], f"{preset} build", tally)
    print(f"  build: {'ok' if good else 'failed'} ({time.monotonic() - begin:.1f} s)", flush=True)
    return good


def succeeds(command, where, tally):
    """Runs a command. When it fails, that is a failure of the run, and its output is shown."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode == 0:
        return True
    sys.stdout.write(done.stdout.decode(errors="replace"))
    tally.add_failure(where, "see the messages above")
    return False


if __name__ == "__main__":
    main()
