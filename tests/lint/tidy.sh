#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# clang-tidy over some files, with the includes and definitions of LINT_CFLAGS
# and none of the compiler's warnings; main.c wants a path.
# usage: tidy.sh TOOL BUILD-TREE FILE...
tool=$1
build=$2
shift 2
flags="-std=gnu11 -w -I$build -Isrc -Itests/bench"
for flag in ${LINT_CFLAGS:-}; do
	case $flag in
	-I/* | -D*) flags="$flags $flag" ;;
	esac
done
# shellcheck disable=SC2086
exec "$tool" --quiet "$@" -- $flags '-DCONFIG_FILE="zcdns.conf"' 2>/dev/null
