"""Finds the test programs of a build tree, runs them, twice as many at once as there are cores, and counts their tests.

A program is whatever `ctest` knows of. It must be a GoogleTest program, unless its ctest entry has the
label `plain`: then its exit code alone decides, and it counts as one test.
"""

import concurrent.futures
import dataclasses
import fnmatch
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import textwrap
import time

import own_network

# Suites that run only with --long.
LONG_SUITES = "*Long.*:*Long/*"
TIMEOUT_S = 15 * 60
TIMEOUT_LONG_S = 6 * 60 * 60
LOG_LINES_SHOWN = 60
MESSAGE_LINES_SHOWN = 20  # of a failed test, below its name at the end of the run
AT_ONCE = 2 * (os.cpu_count() or 1)  # a third of the time tests wait: for a database, a server, a deadline
SHARDS = {"contract": 6, "e2e": 8, "integration": 4, "unit_postgres": 2}  # so that the last of the long ones leaves no core idle
UNDER_WAY = set()  # programs that run now, to be ended when the run is interrupted

LEAKS_OF_OTHERS = pathlib.Path(__file__).with_name("leaks_of_others.supp")

SANITIZER_OPTIONS = {
    "ASAN_OPTIONS": "halt_on_error=1:detect_leaks=1:detect_stack_use_after_return=1",
    "LSAN_OPTIONS": f"suppressions={LEAKS_OF_OTHERS}:print_suppressions=0",
    "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
    "TSAN_OPTIONS": "halt_on_error=1:second_deadlock_stack=1",
}

STARTED = re.compile(r"^\[ RUN      \] (\S+)", re.M)
ENDED = re.compile(r"^\[ +(OK|FAILED) +\] ([^\s,]+).*\(\d+ ms\)$", re.M)


@dataclasses.dataclass
class Program:
    name: str  # also the name of its build target, until it is run in parts
    command: list
    directory: str
    environment: dict
    plain: bool
    timeout_s: float | None


def from_ctest(answer):
    """The programs in an answer of `ctest --show-only=json-v1`."""
    programs = []
    for test in answer["tests"]:
        properties = {p["name"]: p["value"] for p in test.get("properties", [])}
        programs.append(
            Program(
                name=test["name"],
                command=test.get("command", []),
                directory=properties.get("WORKING_DIRECTORY", "."),
                environment=dict(pair.split("=", 1) for pair in properties.get("ENVIRONMENT", [])),
                plain="plain" in properties.get("LABELS", []),
                timeout_s=properties.get("TIMEOUT"),
            )
        )
    return programs


def find(tree):
    answer = subprocess.run(
        ["ctest", "--test-dir", tree, "--show-only=json-v1"], check=True, stdout=subprocess.PIPE
    )
    return from_ctest(json.loads(answer.stdout))


def select(programs, patterns):
    """The programs whose names fit one of the patterns, and the patterns that fit none."""
    chosen = [p for p in programs if any(fnmatch.fnmatch(p.name, pattern) for pattern in patterns)]
    unused = [x for x in patterns if not any(fnmatch.fnmatch(p.name, x) for p in programs)]
    return chosen, unused


def run_all(programs, configuration, tally, *, long=False, results="build/test-results"):
    folder = pathlib.Path(results, configuration).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        parts = [part for program in slowest_first(programs) for part in shards_of(program)]
        runs = {pool.submit(run, part, folder, long): part for part in parts}
        try:
            for done in concurrent.futures.as_completed(runs):
                tell(runs[done], configuration, tally, folder, *done.result())
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in list(UNDER_WAY):
                end_session(process)
            raise


def slowest_first(programs):
    """So that none of the long ones begins when all others are over."""
    slow = ["package", "grpc", "embedded", "e2e", "contract", "unit_postgres", "integration", "unit_sqlite"]
    return sorted(programs, key=lambda program: slow.index(program.name) if program.name in slow else len(slow))


def shards_of(program):
    """The parts in which a program is run, each as a process of its own; GoogleTest shares out the tests."""
    count = 1 if program.plain or not program.command else SHARDS.get(program.name, 1)
    if count == 1:
        return [program]
    return [
        dataclasses.replace(
            program,
            name=f"{program.name} {index + 1}/{count}",
            environment={**program.environment, "GTEST_TOTAL_SHARDS": str(count), "GTEST_SHARD_INDEX": str(index)},
        )
        for index in range(count)
    ]


def temporary_folder():
    """Where tests keep their stores: in memory if the machine has room, since thousands of fsyncs to a disk are a wait and
    no test. That a commit reaches the disk is SQLite's promise; that we wait for it is what the tests look at."""
    shared_memory = pathlib.Path("/dev/shm")
    try:
        room = shutil.disk_usage(shared_memory).free >= 2 << 30 and os.access(shared_memory, os.W_OK)
    except OSError:
        room = False
    return str(shared_memory) if room else tempfile.gettempdir()


def run(program, folder, long):
    """How many tests passed, a line for each failure, and how long it took."""
    report = folder / f"{file_name(program)}.json"
    log = folder / f"{file_name(program)}.log"
    report.unlink(missing_ok=True)
    if not program.command:
        log.write_text("")
        return 0, ["the program was not built"], 0.0
    begin = time.monotonic()
    ending = execute(program, log, report, long)
    seconds = time.monotonic() - begin
    return *judge(program, ending, report, log.read_text(errors="replace")), seconds


def file_name(program):
    return program.name.replace(" ", "-").replace("/", "of")


def tell(program, configuration, tally, folder, passed, failures, seconds):
    tally.add_passed(passed)
    for failure in failures:
        tally.add_failure(f"{configuration} {program.name}", failure)
    print(f"  {program.name}: {passed} passed, {len(failures)} failed ({seconds:.1f} s)", flush=True)
    if failures:
        show_end_of(folder / f"{file_name(program)}.log")


def execute(program, log, report, long):
    """Runs the program; the result says how it ended, or is empty when it ended well."""
    arguments = [] if program.plain else [f"--gtest_output=json:{report}", "--gtest_color=no"]
    if not program.plain and not long:
        arguments.append(f"--gtest_filter=-{LONG_SUITES}")
    environment = {**os.environ, **SANITIZER_OPTIONS, **program.environment}
    environment["SEMEL_LONG"] = "1" if long else "0"
    environment["TMPDIR"] = temporary_folder()
    limit_s = TIMEOUT_LONG_S if long else program.timeout_s or TIMEOUT_S
    with open(log, "wb") as out:
        process = subprocess.Popen(
            own_network.command_in([*program.command, *arguments]),
            cwd=program.directory,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        UNDER_WAY.add(process)
        try:
            code = process.wait(limit_s)
            ending = "" if code == 0 else ending_of(code)
        except subprocess.TimeoutExpired:
            ending = f"it did not end within {limit_s:.0f} s"
        UNDER_WAY.discard(process)
        if ending:
            end_session(process)  # a crashed program may have left servers behind
    return ending


def ending_of(code):
    if code >= 0:
        return f"it ended with code {code}"
    try:
        return f"it was killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"it was killed by signal {-code}"


def end_session(process):
    """Ends the program and whatever it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def judge(program, ending, report, log):
    """How many tests passed, and a line for each failure."""
    if program.plain:
        return (0, [ending]) if ending else (1, [])
    try:
        tests = json.loads(report.read_text())
    except (OSError, ValueError):
        return judge_crash(ending or "it wrote no report", log)
    passed, failures = count(tests)
    if ending and not failures:
        failures.append(f"{ending}, although no test failed")
    return passed, failures


def count(tests):
    passed, failures = 0, []
    for suite in tests.get("testsuites", []):
        for test in suite.get("testsuite", []):
            name = f'{suite["name"]}.{test["name"]}'
            if test.get("failures"):
                failures.append(name + messages_of(test))
            elif test.get("result") == "SKIPPED":
                failures.append(f"{name} skipped itself; a test that cannot run is a failed test")
            elif test.get("status") == "RUN":
                passed += 1
    return passed, failures


def messages_of(test):
    lines = "\n".join(each["failure"] for each in test["failures"]).splitlines()
    return "\n" + textwrap.indent("\n".join(lines[:MESSAGE_LINES_SHOWN]), "    ")


def judge_crash(ending, log):
    """Without a report the log tells which tests ended, and which was under way."""
    ended = {name: verdict for verdict, name in ENDED.findall(log)}
    failures = [name for name, verdict in ended.items() if verdict == "FAILED"]
    under_way = [name for name in STARTED.findall(log) if name not in ended]
    failures.append(f"{ending}, in {under_way[-1]}" if under_way else ending)
    return sum(verdict == "OK" for verdict in ended.values()), failures


def show_end_of(log):
    lines = log.read_text(errors="replace").splitlines()
    if len(lines) > LOG_LINES_SHOWN:
        print(f"    … {len(lines) - LOG_LINES_SHOWN} lines before these are in {os.path.relpath(log)}")
    for line in lines[-LOG_LINES_SHOWN:]:
        print(f"    {line}")
