#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What `make lint` runs. From the environment: srcdir, the tools (empty: not
# installed) and LINT_CFLAGS. Exit 1 when something was found. With
# LINT_ALL=1 (CI) an absent tool is a fault as well.
here=$(pwd)
cd "${srcdir:?}" || exit 2
fail=0
sources=$(find src tests -name '*.[ch]' | sort)
units=$(find src tests/bench -name '*.c' | sort)
scripts=$(find quickstart .ci tests -type f \
	\( -name '*.sh' -o -name run -o -name quickstart \) 2>/dev/null | sort)
pages=$(find doc -name '*.[1-8]' 2>/dev/null | sort)

# step TOOL NAME: announces a step; false when its tool is absent.
step() {
	if [ -z "$1" ]; then
		echo "lint: $2: SKIPPED, not installed"
		[ -z "${LINT_ALL:-}" ] || fail=1
		return 1
	fi
	echo "lint: $2"
}

# bad WHAT: records a finding; the tool has printed it.
bad() {
	echo "lint: $1: FAILED" >&2
	fail=1
}

# The word lists below are file names without blanks, so they are not quoted.
# shellcheck disable=SC2086
run() {
	step yes layers
	sh tests/lint/layers.sh . || bad layers
	step yes 'distribution'
	for header in $sources; do
		case $header in
		*.c) continue ;;
		esac
		grep -q "$header" Makefile.am && continue
		echo "$header: not in Makefile.am"
		bad distribution
	done
	step yes 'file size'
	wc -l $sources | awk '$1 > 600 && $2 != "total" {
		print $2 ": " $1 " lines, more than 600"; bad = 1
	} END { exit bad }' || bad 'file size'
	if step "$CLANG_FORMAT" clang-format; then
		"$CLANG_FORMAT" --dry-run -Werror --ferror-limit=3 $sources || bad clang-format
	fi
	if step "$CPPCHECK" cppcheck; then
		"$CPPCHECK" --quiet --std=c11 --error-exitcode=1 -j 2 \
			-D_GNU_SOURCE -DCONFIG_FILE='"zcdns.conf"' -I src -I tests/bench --enable=warning --inline-suppr \
			--suppress=normalCheckLevelMaxBranches \
			src tests/bench || bad cppcheck
	fi
	if step "$CLANG_TIDY" clang-tidy; then
		printf '%s\n' $units | xargs -P 2 -n 8 \
			sh tests/lint/tidy.sh "$CLANG_TIDY" "$here" \
			|| bad clang-tidy
	fi
	if step "$SHELLCHECK" shellcheck && [ -n "$scripts" ]; then
		"$SHELLCHECK" -x $scripts || bad shellcheck
	fi
	if step "$MANDOC" mandoc && [ -n "$pages" ]; then
		"$MANDOC" -T lint -W warning $pages || bad mandoc
	fi
}

run
exit $fail
