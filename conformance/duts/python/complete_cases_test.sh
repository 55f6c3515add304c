#!/bin/sh
# The committed cases of level block are as the blocks in Python complete them; and what the program says of a step
# that it cannot read.
here=conformance/duts/python
export PYTHONPATH="$here"
run() { /usr/bin/env python3 -B "$here/complete_cases.py" "$@"; }

run --check vectors/cases/block/*.textproto || exit 1

run --help | grep -q '^usage: ' || exit 1
case="${TEST_TMPDIR:-/tmp}/case.textproto"
printf 'block: "path-lifecycle"\ncase {\n  step {\n    apply: "kind=plane-down"\n  }\n}\n' > "$case"
said=$(run "$case")
[ $? = 1 ] || exit 1
echo "$said" | grep -q ':3: a step is not written on one line' || exit 1
run "$case.none" 2> /dev/null
[ $? = 2 ]
