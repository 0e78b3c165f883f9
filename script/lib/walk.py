"""Goes the way of a new user: clones the repository, starts the server with the README's command, and runs every
command of the README and the guides against what the clone has built."""

import os
import pathlib
import signal
import subprocess
import tempfile
import threading

PAGES = "Pages/Documentation.*"
READY = "semel: ready http="
START_S = 40 * 60  # the clone builds everything; the compiler cache usually has it
PAGES_S = 15 * 60


def walk(e2e, tally):
    with tempfile.TemporaryDirectory(prefix="semel-walk-") as folder:
        clone = pathlib.Path(folder, "semel")
        log = pathlib.Path(folder, "log")
        problem = go(clone, log, e2e)
        tally.check(not problem, "walk", problem)
        print(f"  walk: {problem or 'ok'}", flush=True)
        if problem and log.exists():
            print(log.read_text(errors="replace")[-4000:])


def go(clone, log, e2e):
    """What went wrong, or nothing."""
    with open(log, "wb") as out:
        cloned = subprocess.run(["git", "clone", "--quiet", ".", str(clone)], stdout=out, stderr=out)
        if cloned.returncode != 0:
            return "the repository cannot be cloned"
        if problem := start_server(clone, out):
            return problem
        command = [str(pathlib.Path(e2e).absolute()), f"--gtest_filter={PAGES}"]
        environment = {**os.environ, "WALKED_CLONE": str(clone)}
        pages = subprocess.run(command, cwd=clone, env=environment, stdout=out, stderr=out, timeout=PAGES_S)
        return "" if pages.returncode == 0 else "a command of the pages is not answered as they say"


def start_server(clone, out):
    """script/server as the README has it, on a free port."""
    # The compiler cache finds what this checkout has compiled, once it knows where the clone lies.
    environment = {name: value for name, value in os.environ.items() if name != "CCACHE_BASEDIR"}
    store = f"sqlite:{clone.parent / 'walk.db'}"
    command = ["script/server", "--listen", "127.0.0.1:0", "--grpc-listen", "127.0.0.1:0", "--store", store]
    server = subprocess.Popen(
        command, cwd=clone, env=environment, stdout=subprocess.PIPE, stderr=out, start_new_session=True
    )
    guard = threading.Timer(START_S, os.killpg, (server.pid, signal.SIGKILL))
    guard.start()
    try:
        for line in server.stdout:
            out.write(line)
            if line.decode(errors="replace").startswith(READY):
                os.killpg(server.pid, signal.SIGTERM)
                code = server.wait(60)
                return "" if code == 0 else f"script/server ended with {code}"
        return f"script/server did not become ready and ended with {server.wait()}"
    finally:
        guard.cancel()
        if server.poll() is None:
            os.killpg(server.pid, signal.SIGKILL)
            server.wait()
