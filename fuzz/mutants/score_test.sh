#!/bin/bash
# score_test.sh METAROCE LIBRARY VECTORS RECORDED: `metaroce mutants` kills all, and says what RECORDED says.
# To record: metaroce mutants --dut LIBRARY > RECORDED
set -u
found=$("./$1" mutants --dut "./$2" --vectors "$3" --jobs 0)
status=$?
diff <(echo "$found") "$4" || exit 1
exit $status
