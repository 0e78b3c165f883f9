"""Tests of how script/test counts: small shell scripts play the test programs."""

import contextlib
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import own_network
import programs
from tally import Tally

PASSED_TWO = {"testsuites": [{"name": "A", "testsuite": [
    {"name": "One", "status": "RUN", "result": "COMPLETED"},
    {"name": "Two", "status": "RUN", "result": "COMPLETED"},
    {"name": "Filtered", "status": "NOTRUN", "result": "SUPPRESSED"},
]}]}
FAILED_ONE = {"testsuites": [{"name": "A", "testsuite": [
    {"name": "One", "status": "RUN", "result": "COMPLETED"},
    {"name": "Two", "status": "RUN", "result": "COMPLETED", "failures": [{"failure": "no"}]},
]}]}
SKIPPED_ONE = {"testsuites": [{"name": "A", "testsuite": [{"name": "One", "status": "RUN", "result": "SKIPPED"}]}]}


class Counting(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.tally = Tally()

    def run_program(self, report, script="", *, plain=False, timeout_s=30):
        """Plays a program that writes the report, where there is one, and then does what the script says."""
        write = f"echo '{json.dumps(report)}' > \"${{1#--gtest_output=json:}}\"\n" if report else ""
        command = ["bash", "-c", write + script, "program"]
        program = programs.Program("program", command, self.folder.name, {}, plain, timeout_s)
        with contextlib.redirect_stdout(io.StringIO()):
            programs.run_all([program], "release", self.tally, results=self.folder.name)

    def test_tests_that_ran_are_counted_and_filtered_ones_are_not(self):
        self.run_program(PASSED_TWO)

        self.assertEqual((self.tally.passed, self.tally.failures), (2, []))

    def test_a_failed_test_is_named_with_its_message(self):
        self.run_program(FAILED_ONE, "exit 1")

        self.assertEqual((self.tally.passed, self.tally.failures), (1, [("release program", "A.Two\n    no")]))

    def test_a_skipped_test_is_a_failed_one(self):
        self.run_program(SKIPPED_ONE)

        self.assertEqual((self.tally.passed, len(self.tally.failures)), (0, 1))

    def test_a_bad_ending_after_good_tests_is_a_failure(self):
        self.run_program(PASSED_TWO, "exit 23")

        self.assertEqual((self.tally.passed, len(self.tally.failures)), (2, 1))
        self.assertIn("code 23", self.tally.failures[0][1])

    def test_a_crash_is_a_failure_that_names_the_test_under_way(self):
        self.run_program(None, "echo '[ RUN      ] A.One'; echo '[       OK ] A.One (0 ms)'\n"
                               "echo '[ RUN      ] A.Two'; kill -SEGV $$")

        self.assertEqual(self.tally.passed, 1)
        self.assertEqual(self.tally.failures, [("release program", "it was killed by SIGSEGV, in A.Two")])

    def test_no_report_is_a_failure_even_with_a_good_ending(self):
        self.run_program(None, "exit 0")

        self.assertEqual((self.tally.passed, len(self.tally.failures)), (0, 1))

    def test_a_report_of_an_earlier_run_does_not_count(self):
        self.run_program(PASSED_TWO)
        self.run_program(None, "exit 0")

        self.assertEqual((self.tally.passed, len(self.tally.failures)), (2, 1))

    def test_a_program_that_hangs_is_ended_and_failed(self):
        self.run_program(None, "read < <(tail -f /dev/null)", timeout_s=0.2)

        self.assertIn("did not end", self.tally.failures[0][1])

    def test_a_plain_program_is_judged_by_its_exit_code(self):
        self.run_program(None, "exit 0", plain=True)
        self.run_program(None, "exit 3", plain=True)

        self.assertEqual((self.tally.passed, len(self.tally.failures)), (1, 1))

    def test_a_long_program_is_run_in_parts_that_are_told_apart_and_counted_together(self):
        script = 'echo "$GTEST_SHARD_INDEX of $GTEST_TOTAL_SHARDS"\n[ "$GTEST_SHARD_INDEX" != 1 ]'
        with unittest.mock.patch.dict(programs.SHARDS, {"program": 3}):
            self.run_program(PASSED_TWO, script)

        self.assertEqual(self.tally.passed, 6)
        self.assertEqual([where for where, _ in self.tally.failures], ["release program 2/3"])
        logs = pathlib.Path(self.folder.name, "release").glob("program-*.log")
        self.assertEqual(sorted(log.read_text() for log in logs), ["0 of 3\n", "1 of 3\n", "2 of 3\n"])

    def test_a_program_that_was_not_built_is_a_failure(self):
        program = programs.Program("program", [], ".", {}, False, None)
        programs.run_all([program], "release", self.tally, results=self.folder.name)

        self.assertEqual(len(self.tally.failures), 1)


class Networks(unittest.TestCase):
    def network_of(self, command):
        return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.strip()

    def test_a_program_has_a_network_of_its_own_where_that_is_possible(self):
        ours = self.network_of(["readlink", "/proc/self/ns/net"])

        its = self.network_of(own_network.command_in(["readlink", "/proc/self/ns/net"]))

        self.assertEqual(its != ours, own_network.is_possible())

    def test_elsewhere_it_is_run_as_it_is(self):
        with unittest.mock.patch.object(own_network, "is_possible", lambda: False):
            self.assertEqual(own_network.command_in(["a", "b"]), ["a", "b"])

    def test_the_loopback_can_be_reached_there(self):
        meets = "from socket import *; s = create_server(('127.0.0.1', 0)); create_connection(s.getsockname())"

        self.network_of(own_network.command_in([sys.executable, "-c", meets]))


class Finding(unittest.TestCase):
    def test_properties_of_ctest_are_read(self):
        [program] = programs.from_ctest({"tests": [{"name": "a", "command": ["a"], "properties": [
            {"name": "WORKING_DIRECTORY", "value": "/b"}, {"name": "LABELS", "value": ["plain"]},
            {"name": "ENVIRONMENT", "value": ["C=d=e"]}, {"name": "TIMEOUT", "value": 5.0}]}]})

        self.assertEqual(program, programs.Program("a", ["a"], "/b", {"C": "d=e"}, True, 5.0))

    def test_a_pattern_that_fits_nothing_is_told(self):
        all_programs = programs.from_ctest({"tests": [{"name": "unit_engine"}, {"name": "unit_base"}]})

        chosen, unused = programs.select(all_programs, ["*engine*", "*contract*"])

        self.assertEqual([program.name for program in chosen], ["unit_engine"])
        self.assertEqual(unused, ["*contract*"])


class Closing(unittest.TestCase):
    def close(self, tally):
        lines = []
        return tally.close(lines.append), lines

    def test_the_last_line_has_both_counts(self):
        tally = Tally()
        tally.add_passed(3)

        self.assertEqual(self.close(tally), (0, ["3 passed, 0 failed"]))

    def test_failures_are_named_above_it(self):
        tally = Tally()
        tally.add_failure("asan unit_base", "A.One")

        self.assertEqual(self.close(tally), (1, ["", "FAILED asan unit_base: A.One", "0 passed, 1 failed"]))

    def test_a_run_without_tests_failed(self):
        code, lines = self.close(Tally())

        self.assertEqual((code, lines[-1]), (1, "0 passed, 1 failed"))


if __name__ == "__main__":
    unittest.main()
