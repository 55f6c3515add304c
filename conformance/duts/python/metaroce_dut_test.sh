#!/bin/sh
# Runs the unit tests of the DUT with the Python of the environment.
here=$(cd "$(dirname "$0")" && pwd) || exit 1
PYTHONPATH="$here" exec /usr/bin/env python3 -B "$here/metaroce_dut_test.py"
