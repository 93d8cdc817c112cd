"""Runs test modules of an installed package with pytest, and prints the tests that failed, one a line, and how many did what."""

import collections
import sys

import pytest


class Outcomes:
    def __init__(self):
        self.counts = collections.Counter()
        self.failed = []

    def pytest_runtest_logreport(self, report):
        if report.failed:
            # Of a file outside the folder that pytest works in, the test's own name has no path.
            path = report.location[0].replace("\\", "/")
            self.failed.append(f"{path}::{report.nodeid.partition('::')[2]}")
        elif report.when == "call" or report.skipped:
            self.counts["skipped" if report.skipped else "passed"] += 1

    def pytest_collectreport(self, report):
        if report.failed:
            self.failed.append(report.nodeid)


outcomes = Outcomes()
options = ["-p", "no:terminal", "-p", "no:cacheprovider"]
pytest.main([*options, "--pyargs", *sys.argv[1:]], plugins=[outcomes])
for node in outcomes.failed:
    path, _, test = node.partition("::")
    print("failed", f"{path.rpartition('/')[2].removesuffix('.py')}::{test}".encode("unicode_escape").decode())
print("passed", outcomes.counts["passed"], "skipped", outcomes.counts["skipped"], "failed", len(outcomes.failed))
