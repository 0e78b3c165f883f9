"""The stages of script/test, in order. Every stage is run even if one before it failed."""

import argparse
import concurrent.futures
import os
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
    threaded = options.tsan.split()
    builds = {
        "release": lambda: build("release", tally),
        "asan": lambda: build("asan", tally),
        "tsan": lambda: build_threaded(threaded, tally),
        "fuzz": lambda: build("fuzz", tally, "--target", "fuzz/all"),
    }
    stages = {
        "tidy": lambda: tidy(tally),
        "release": lambda: test("release", tally, options.long, beside=beside_release),
        "dashboard": lambda: dashboard.run(tally, options.long),
        "walk": lambda: walk_pages(tally),
        "asan": lambda: test("asan", tally, options.long),
        "tsan": lambda: test("tsan", tally, options.long, threaded),
        "fuzz": lambda: fuzz(options.fuzz_seconds or (FUZZ_QUICK_S if options.quick else FUZZ_S), tally),
    }
    chosen = options.stages.split(",") if options.stages else list(stages)
    if unknown := [name for name in chosen if name not in stages]:
        parser.error(f"no stage {', '.join(unknown)}; there are {', '.join(stages)}")
    together = [name for name in BESIDE_RELEASE if name in chosen and "release" in chosen]
    beside_release = [lambda name=name: run_stage(name, stages[name], tally) for name in together]
    # One after the other, ahead of the stages: while the tests of one wait, the next is compiled.
    builder = concurrent.futures.ThreadPoolExecutor(1)
    try:
        built = {name: builder.submit(builds[name]) for name in builds if name in chosen}
        for name in chosen:
            if name not in together:
                run_stage(name, stages[name], tally, built.get(name))
    except KeyboardInterrupt:
        tally.add_failure("run", "interrupted")
    builder.shutdown(wait=False, cancel_futures=True)
    sys.exit(tally.close())


def positive(text):
    if (number := int(text)) < 1:
        raise ValueError
    return number


def run_stage(name, stage, tally, built=None):
    """Runs a stage, once it is built; if that failed, it is a failure of the run already."""
    print(f"== {name}", flush=True)
    begin = time.monotonic()
    try:
        if built is None or built.result():
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
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        tally.add_passed(sum(pool.map(lambda check: succeeds(check[1], check[0], tally), checks.items())))


def test(configuration, tally, long, patterns=("*",), beside=()):
    """Runs the test programs; beside them, what else needs the build."""
    chosen, _ = programs.select(programs.find(f"build/{configuration}"), patterns)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        others = [pool.submit(run) for run in beside]
        programs.run_all(chosen, configuration, tally, long=long)
        for other in others:
            other.result()


def walk_pages(tally):
    found, unused = programs.select(programs.find("build/release"), ["e2e"])
    if unused or not found[0].command:
        tally.add_failure("walk", "it needs the stage release before it")
        return
    walk.walk(found[0].command[0], tally)


def build_threaded(patterns, tally):
    """Only the programs that start threads."""
    if not succeeds(["cmake", "--preset", "tsan"], "tsan configure", tally):
        return False
    chosen, unused = programs.select(programs.find("build/tsan"), patterns)
    for pattern in unused:
        tally.add_failure("tsan", f"no test program fits '{pattern}'; mend tsan_programs in script/test")
    targets = [program.name for program in chosen]
    return bool(targets) and build("tsan", tally, "--target", *targets)


def fuzz(seconds, tally):
    targets = fuzzing.find("build/fuzz/fuzz")
    if not targets:
        tally.add_failure("fuzz", "no target was built; they are named fuzz_* or *_fuzz")
    fuzzing.run_all(targets, "build/fuzz", seconds, tally)


def build(preset, tally, *arguments):
    begin = time.monotonic()
    command = 'source script/lib/common.sh; build_preset "$@"'
    good = succeeds(["bash", "-euc", command, "build", preset, *arguments], f"{preset} build", tally)
    print(f"  build of {preset}: {'ok' if good else 'failed'} ({time.monotonic() - begin:.1f} s)", flush=True)
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
