"""Finds the fuzz targets (executables named fuzz_* or *_fuzz) and runs each for a while.

Seeds are read from fuzz/corpus/SUBJECT and a dictionary from fuzz/SUBJECT.dict, where they exist; SUBJECT is
the target's name without fuzz_ or _fuzz. What a run finds goes to the build tree; the repository is not written to.
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess

import programs

MEMORY_MB_MAX = 2048
INPUT_TIMEOUT_S = 10
GRACE_S = 120  # for starting, merging and ending
SHORT_S = 60
# Its world lives longer than an input, which looks like a leak, and would be searched for after each; that is left to
# the end. It reaches so much that weighing inputs by the rarity of what they reach takes longer than running them.
ARGUMENTS = {"api": ["-detect_leaks=0", "-entropic=0"]}


def find(tree):
    found = []
    for folder, _, files in os.walk(tree):
        for name in files:
            path = pathlib.Path(folder, name)
            named = not path.suffix and (name.startswith("fuzz_") or name.endswith("_fuzz"))
            if named and os.access(path, os.X_OK):
                found.append(path)
    return sorted(found)


def run_all(targets, tree, seconds, tally):
    """Runs the targets: for a long time, as many at once as there are cores; for a short one, all at once."""
    at_once = len(targets) if seconds <= SHORT_S else os.cpu_count()
    with concurrent.futures.ThreadPoolExecutor(at_once or 1) as pool:
        endings = pool.map(lambda target: run(target, pathlib.Path(tree), seconds), targets)
        for target, (ending, log) in zip(targets, endings):
            tally.check(not ending, f"fuzz {target.name}", ending)
            print(f"  {target.name}: {ending or 'ok'} ({runs_in(log)} runs)", flush=True)
            if ending:
                programs.show_end_of(log)


def run(target, tree, seconds):
    corpus = tree / "corpus" / target.name
    artifacts = tree / "artifacts"
    corpus.mkdir(parents=True, exist_ok=True)
    artifacts.mkdir(parents=True, exist_ok=True)
    log = tree / f"{target.name}.log"
    command = [
        str(target.absolute()),
        f"-max_total_time={seconds}",
        f"-rss_limit_mb={MEMORY_MB_MAX}",
        f"-timeout={INPUT_TIMEOUT_S}",
        f"-artifact_prefix={artifacts}/{target.name}-",
        "-print_final_stats=1",
        *optional_arguments(target.name),
        str(corpus),
        *optional_seeds(target.name),
    ]
    with open(log, "wb") as out:
        try:
            environment = {**os.environ, **programs.SANITIZER_OPTIONS}
            done = subprocess.run(
                command, env=environment, stdout=out, stderr=subprocess.STDOUT, timeout=seconds + GRACE_S
            )
        except subprocess.TimeoutExpired:
            return f"it did not end within {seconds + GRACE_S} s", log
    ending = "" if done.returncode == 0 else programs.ending_of(done.returncode)
    return (f"{ending}; the input is in {artifacts}" if ending else ""), log


def runs_in(log):
    """How many inputs a target has tried, by its own last words; 0 when it could not say them."""
    found = re.search(rb"stat::number_of_executed_units:\s*(\d+)", log.read_bytes())
    return int(found.group(1)) if found else 0


def subject(name):
    return name.removeprefix("fuzz_").removesuffix("_fuzz")


def optional_arguments(name):
    dictionary = pathlib.Path("fuzz", f"{subject(name)}.dict")
    return ARGUMENTS.get(subject(name), []) + ([f"-dict={dictionary}"] if dictionary.exists() else [])


def optional_seeds(name):
    seeds = pathlib.Path("fuzz", "corpus", subject(name))
    return [str(seeds)] if seeds.is_dir() else []
