#!/bin/sh
# Runs the unit tests of the blocks with the Python of the environment.
here=$(cd "$(dirname "$0")" && pwd) || exit 1
PYTHONPATH="$here" exec /usr/bin/env python3 -B "$here/blocks_test.py"
