#!/bin/sh
# The cases are what the twin works out, with the Python of the environment.
here=model/congestion/testing
PYTHONPATH="$here:conformance/duts/python" exec /usr/bin/env python3 -B "$here/twin_cases.py" check "$here/testdata"
