#!/bin/sh
# The committed cases of level block are as the blocks in Python complete them.
here=conformance/duts/python
PYTHONPATH="$here" exec /usr/bin/env python3 -B "$here/complete_cases.py" --check vectors/cases/block/*.textproto
