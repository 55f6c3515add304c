#!/bin/sh
# The cases are what the twin works out, with the Python of the environment.
here=model/congestion/testing
PYTHONPATH="$here" exec /usr/bin/env python3 -B "$here/twin.py" check "$here/testdata"
