#!/bin/bash
# in_tree.sh CHECK: runs one lint check on the source tree that this test was built from.
set -eu
root=$(dirname "$(readlink -f WORKSPACE)")
exec tools/lint/lint.py "$1" "$root"
