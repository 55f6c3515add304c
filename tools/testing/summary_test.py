#!/usr/bin/python3
"""The summary counts what passed and failed, and never calls an unfinished run good."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

SUMMARY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "summary.py")


def configured(label):
    return {"id": {"targetConfigured": {"label": label}}, "configured": {"testSize": "SMALL"}}


def completed(label, success=True):
    return {"id": {"targetCompleted": {"label": label}}, "completed": {"success": success}}


def summary(label, status):
    return {"id": {"testSummary": {"label": label}}, "testSummary": {"overallStatus": status}}


def finished(name):
    return {"id": {"buildFinished": {}}, "finished": {"exitCode": {"name": name}}}


class SummaryTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR"))

    def tearDown(self):
        self.folder.cleanup()

    def events(self, *events):
        path = os.path.join(self.folder.name, "events.json")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(event) + "\n" for event in events)
        return "opt=" + path

    def with_cases(self, label, xml):
        path = os.path.join(self.folder.name, "test.xml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(xml)
        output = {"name": "test.xml", "uri": "file://" + path}
        return {
            "id": {"testResult": {"label": label}},
            "testResult": {"testActionOutput": [output]},
        }

    def assert_ends(self, arguments, last_line, code):
        result = subprocess.run(
            [sys.executable, SUMMARY] + arguments, stdout=subprocess.PIPE, text=True, check=False
        )
        self.assertEqual(result.stdout.rstrip("\n").split("\n")[-1], last_line, result.stdout)
        self.assertEqual(result.returncode, code)

    def test_a_target_without_cases_counts_once(self):
        run = self.events(
            configured("//a"), completed("//a"), summary("//a", "PASSED"), finished("SUCCESS")
        )
        self.assert_ends([run], "1 passed, 0 failed", 0)

    def test_cases_of_a_target_are_counted(self):
        xml = "<testsuites><testsuite><testcase/><testcase/><testcase><failure/></testcase>"
        xml += '<testcase status="notrun"/></testsuite></testsuites>'
        run = self.events(
            self.with_cases("//a", xml), summary("//a", "FAILED"), finished("TESTS_FAILED")
        )
        self.assert_ends([run], "2 passed, 1 failed", 1)

    def test_a_target_that_dies_counts_as_failed_though_no_case_failed(self):
        xml = "<testsuites><testsuite><testcase/></testsuite></testsuites>"
        run = self.events(
            self.with_cases("//a", xml), summary("//a", "FAILED"), finished("TESTS_FAILED")
        )
        self.assert_ends([run], "1 passed, 1 failed", 1)

    def test_a_timeout_counts_as_failed(self):
        run = self.events(summary("//a", "TIMEOUT"), finished("TESTS_FAILED"))
        self.assert_ends([run], "0 passed, 1 failed", 1)

    def test_a_target_that_does_not_build_counts_as_failed(self):
        run = self.events(
            completed("//a"),
            summary("//a", "PASSED"),
            completed("//b", success=False),
            finished("BUILD_FAILURE"),
        )
        self.assert_ends([run], "1 passed, 1 failed", 1)

    def test_a_target_that_cannot_be_analysed_counts_as_failed(self):
        event = {"id": {"targetConfigured": {"label": "//b"}}, "aborted": {"reason": "ANALYSIS"}}
        run = self.events(summary("//a", "PASSED"), event, finished("PARSING_FAILURE"))
        self.assert_ends([run], "1 passed, 1 failed", 1)

    def test_a_run_that_ended_early_counts_as_failed(self):
        self.assert_ends([self.events(summary("//a", "PASSED"))], "1 passed, 1 failed", 1)

    def test_a_run_without_any_test_counts_as_failed(self):
        self.assert_ends([self.events(finished("NO_TESTS_FOUND"))], "0 passed, 1 failed", 1)

    def test_missing_or_broken_events_count_as_failed(self):
        self.assert_ends(["opt=/nonexistent"], "0 passed, 1 failed", 1)
        path = os.path.join(self.folder.name, "broken.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write('{"id": ')
        self.assert_ends(["opt=" + path], "0 passed, 1 failed", 1)

    def test_steps_outside_bazel_are_added(self):
        run = self.events(summary("//a", "PASSED"), finished("SUCCESS"))
        self.assert_ends([run, "//fuzz:x:ok"], "2 passed, 0 failed", 0)
        self.assert_ends([run, "//fuzz:x:failed"], "1 passed, 1 failed", 1)

    def test_nothing_at_all_does_not_pass(self):
        self.assert_ends([], "0 passed, 0 failed", 1)


if __name__ == "__main__":
    unittest.main()
