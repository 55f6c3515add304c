#!/bin/sh
# The cases are what the twin works out, with the Python of the environment.
here=$(cd "$(dirname "$0")" && pwd) || exit 1
PYTHONPATH="$here" exec /usr/bin/env python3 -B "$here/twin.py" check "$here/testdata"
