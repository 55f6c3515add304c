#!/bin/sh
# conformance_test.sh METAROCE MANIFEST DUT 'ARGUMENTS' OPTIONS...: one run of the vectors beside
# MANIFEST, whose verdicts become the cases of Bazel's test.xml. See defs.bzl.
set -eu
metaroce=$1 manifest=$2 dut=$3 arguments=$4
shift 4
if [ -n "${XML_OUTPUT_FILE:-}" ]; then set -- "$@" --junit "$XML_OUTPUT_FILE"; fi
# The page is kept with the test's outputs, for a person.
if [ -n "${TEST_UNDECLARED_OUTPUTS_DIR:-}" ]; then
  set -- "$@" --html "$TEST_UNDECLARED_OUTPUTS_DIR/report.html"
fi
exec "./$metaroce" replay --dut "'./$dut' $arguments" --vectors "$(dirname "$manifest")" "$@"
