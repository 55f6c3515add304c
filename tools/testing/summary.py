#!/usr/bin/python3
"""Adds up test results: Bazel's build event files, and steps run outside Bazel.

usage: summary.py NAME=FILE.json ... [NAME:ok|NAME:failed ...]

FILE is what --build_event_json_file wrote. For each run it prints how many test
targets passed and the ones that did not, then, as the last line,
`N passed, N failed`: test cases where a target reports them (JUnit, as
GoogleTest does), else one a target. A target that does not build, or a run that
ends without having run what it announced, counts as failed.
Exit: 0 if nothing failed and something passed, else 1.
"""
import collections
import json
import sys
import urllib.parse
import xml.etree.ElementTree

Cases = collections.namedtuple("Cases", "passed failed")


def count_cases(path):
    """The passed and failed cases of a JUnit file; (0, 0) if it cannot be read."""
    try:
        root = xml.etree.ElementTree.parse(path).getroot()
    except (OSError, xml.etree.ElementTree.ParseError):
        return Cases(0, 0)
    passed = failed = 0
    for case in root.iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        elif case.find("skipped") is None and case.get("status") != "notrun":
            passed += 1
    return Cases(passed, failed)


class Run:
    """One bazel test command, as its build events tell it."""

    def __init__(self, path):
        self.results = {}  # label -> overall status of a test that was run
        self.not_built = set()
        self.xml = collections.defaultdict(list)
        self.exit_name = None
        try:
            with open(path, encoding="utf-8") as events:
                for line in events:
                    self._read(json.loads(line))
        except (OSError, ValueError) as error:
            self.exit_name = "unreadable build events: %s" % error

    def _read(self, event):
        key = event.get("id", {})
        if "testSummary" in key:
            status = event.get("testSummary", {}).get("overallStatus", "NO_STATUS")
            self.results[key["testSummary"]["label"]] = status
        elif "testResult" in key:
            for output in event.get("testResult", {}).get("testActionOutput", []):
                url = urllib.parse.urlparse(output.get("uri", ""))
                if output.get("name") == "test.xml" and url.scheme == "file":
                    self.xml[key["testResult"]["label"]].append(urllib.parse.unquote(url.path))
        elif "targetCompleted" in key:
            if not event.get("completed", {}).get("success"):
                self.not_built.add(key["targetCompleted"]["label"])
        elif "targetConfigured" in key and "aborted" in event:
            self.not_built.add(key["targetConfigured"]["label"])
        elif "buildFinished" in key:
            self.exit_name = event["finished"]["exitCode"]["name"]

    def report(self, name):
        """Prints the run; returns its cases."""
        bad = {label: "not built" for label in self.not_built}
        passed = failed = 0
        for label, status in self.results.items():
            if status in ("PASSED", "FLAKY"):
                cases = [count_cases(path) for path in self.xml[label]]
                passed += sum(c.passed for c in cases) or 1
                continue
            bad.setdefault(label, status.lower().replace("_", " "))
            cases = [count_cases(path) for path in self.xml[label]]
            passed += sum(c.passed for c in cases)
            failed += sum(c.failed for c in cases) or 1
        failed += len(self.not_built - set(self.results))
        good = sum(1 for label in self.results if label not in bad)
        print("%-12s %4d test targets passed, %d did not" % (name, good, len(bad)))
        for label in sorted(bad):
            print("             %s: %s" % (label, bad[label]))
        if self.exit_name != "SUCCESS" and not bad:
            print("             bazel: %s" % (self.exit_name or "ended without a result"))
            failed += 1
        return Cases(passed, failed)


def main(arguments):
    total = Cases(0, 0)
    for argument in arguments:
        if "=" in argument:
            name, path = argument.split("=", 1)
            cases = Run(path).report(name)
        else:
            name, result = argument.rsplit(":", 1)
            cases = Cases(1, 0) if result == "ok" else Cases(0, 1)
            print("%-12s %s" % (name, result))
        total = Cases(total.passed + cases.passed, total.failed + cases.failed)
    print("%d passed, %d failed" % total)
    return 0 if total.failed == 0 and total.passed > 0 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
