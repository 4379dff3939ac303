#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Lists the cases of tests/cases.txt that no test names, as B-ZS01 or B_ZS01.
# usage: cases.sh SOURCE-TREE. Exit 1 when one of the groups below is not
# complete, or when a test names a case that does not exist.
cd "${1:-.}/tests" || exit 2
must='B-(ZS|ZD|RD|AN|DS|ED|HD|TC|NW|IU)'

known=$(sed -n 's/^\(B-[A-Z][A-Z][0-9][0-9]\) .*/\1/p' cases.txt)
named=$(grep -rhoE 'B[-_][A-Z]{2}[0-9]{2}' --include='*.c' --include='*.h' \
	--include='*.py' --include='*.sh' unit integration fuzz 2>/dev/null |
	tr _ - | sort -u)

fail=0
missing=0
for id in $known; do
	echo "$named" | grep -qx -e "$id" && continue
	missing=$((missing + 1))
	if echo "$id" | grep -qE "^$must"; then
		fail=1
		grep -e "^$id" cases.txt | sed 's/^/without a test: /'
	else
		grep -e "^$id" cases.txt | sed 's/^/later:          /'
	fi
done
for id in $named; do
	echo "$known" | grep -qx -e "$id" && continue
	echo "no such case: $id"
	fail=1
done
total=$(echo "$known" | wc -l)
echo "check-cases: $((total - missing)) of $total cases have a test"
exit $fail
