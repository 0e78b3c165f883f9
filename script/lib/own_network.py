"""A network of its own for each test program, so that nothing which another one left behind can talk to its servers.

Programs run side by side, and tests kill servers while clients go on asking. The operating system may give the port of
such a server to a test of another program, whose first request is then a stranger's.
"""

import functools
import subprocess

# The loopback is all that it has.
ENTER = ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "own_network"]


@functools.cache
def is_possible():
    """It takes root's rights, and a system that gives them."""
    try:
        done = subprocess.run([*ENTER, "true"], stdin=subprocess.DEVNULL, capture_output=True)
    except OSError:
        return False
    return done.returncode == 0


def command_in(command):
    """The command in a network of its own, or as it is where that is not possible."""
    return [*ENTER, *command] if is_possible() else command
