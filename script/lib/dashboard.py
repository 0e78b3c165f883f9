"""The dashboard in a browser: runs dashboard/test against build/release/semel and counts its lines; and its lists among a million tasks."""

import os
import pathlib
import re
import subprocess

BINARY = pathlib.Path("build/release/semel")
SHOTS = pathlib.Path("build/test-results/dashboard")
LIMIT_S = 10 * 60
LINE = re.compile(r"(ok|FAILED) (.*?)(?: \(\d+ ms\))?$")


def run(tally, long=False):
    """Every page and action; and, in a long run, how long lists take among a million tasks."""
    run_one(tally, "dashboard", ("node", "dashboard/test/run.mjs"))
    if long:
        run_one(tally, "million", ("node", "dashboard/test/million.mjs"))


def run_one(tally, name, test):
    if not BINARY.exists():
        tally.add_failure(name, "it needs the stage release before it")
        return
    environment = {**os.environ, "SEMEL": str(BINARY.absolute()), "SHOTS": str(SHOTS.absolute())}
    try:
        done = subprocess.run(test, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        tally.add_failure(name, f"not over after {LIMIT_S} s")
        return
    count(done.stdout.decode(errors="replace"), done.returncode, tally, name)


def count(output, code, tally, name="dashboard"):
    """Each line `ok NAME` is a test that passed, and `FAILED NAME: …` one that did not; there must be some."""
    lines = [match for match in map(LINE.match, output.splitlines()) if match]
    failed = [match.group(2) for match in lines if match.group(1) == "FAILED"]
    tally.add_passed(len(lines) - len(failed))
    for what in failed:
        tally.add_failure(name, what)
    if not failed and (code != 0 or not lines):
        tally.add_failure(name, f"ended with {code} after {len(lines)} tests")
    if failed or code != 0 or name == "million":  # its figures are what one looks for
        print(output)
    print(f"  {name}: {len(lines) - len(failed)} of {len(lines)} passed; screenshots in {SHOTS}", flush=True)
