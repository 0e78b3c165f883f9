"""What passed and what failed over a whole run, and the closing line."""

import threading


class Tally:
    """Counts single tests and whole checks (a build, a fuzz target) alike. For any thread."""

    def __init__(self):
        self.lock = threading.Lock()  # guards what follows
        self.passed = 0
        self.failures = []  # (where, what), in the order they happened

    def add_passed(self, count=1):
        with self.lock:
            self.passed += count

    def add_failure(self, where, what):
        with self.lock:
            self.failures.append((where, what))

    def check(self, good, where, what):
        """One check: `what` says what went wrong if it is not good."""
        if good:
            self.add_passed()
        else:
            self.add_failure(where, what)
        return good

    def close(self, out=print):
        """Prints the failures and the closing line; the result is the exit code of the run."""
        if self.passed == 0 and not self.failures:
            self.add_failure("run", "no test was run")
        if self.failures:
            out("")
        for where, what in self.failures:
            out(f"FAILED {where}: {what}")
        out(f"{self.passed} passed, {len(self.failures)} failed")
        return 1 if self.failures else 0
