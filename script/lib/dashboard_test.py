"""Tests of how the stage dashboard counts."""

import contextlib
import io
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import dashboard
from tally import Tally


class Counting(unittest.TestCase):
    def count(self, output, code):
        tally = Tally()
        with contextlib.redirect_stdout(io.StringIO()):
            dashboard.count(output, code, tally)
        return tally.passed, [what for _, what in tally.failures]

    def test_each_line_is_a_test(self):
        self.assertEqual(self.count("ok one (12 ms)\nsomething else\nok two (3 ms)\n", 0), (2, []))

    def test_a_failure_is_named(self):
        output = "ok one (12 ms)\nFAILED two: Error: no button\n    at somewhere\n"
        self.assertEqual(self.count(output, 1), (1, ["two: Error: no button"]))

    def test_a_run_that_breaks_off_is_a_failure(self):
        self.assertEqual(self.count("ok one (12 ms)\n", 1), (1, ["ended with 1 after 1 tests"]))

    def test_the_lists_among_a_million_are_counted_with_their_figures(self):
        tally = Tally()
        output = "1000000 tasks in 80 s\nok newest tasks: p50 1.0 ms, p99 2.0 ms, 50 found\nFAILED workers: p50 1.0 ms, p99 51.0 ms\n"
        with contextlib.redirect_stdout(io.StringIO()) as told:
            dashboard.count(output, 1, tally, "million")
        self.assertEqual((tally.passed, tally.failures), (1, [("million", "workers: p50 1.0 ms, p99 51.0 ms")]))
        self.assertIn("newest tasks: p50 1.0 ms", told.getvalue())

    def test_a_run_without_tests_is_a_failure(self):
        self.assertEqual(self.count("", 0), (0, ["ended with 0 after 0 tests"]))


class Building(unittest.TestCase):
    def test_without_its_packages_it_says_what_to_do_and_writes_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            here = pathlib.Path(folder)
            shutil.copy("dashboard/pack.mjs", here)
            done = subprocess.run(["node", here / "pack.mjs", here / "out.cpp"], capture_output=True, text=True)

            self.assertNotEqual(done.returncode, 0)
            self.assertIn("Run script/bootstrap", done.stderr)
            self.assertFalse((here / "out.cpp").exists())


if __name__ == "__main__":
    unittest.main()
