#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Includes point down or stay in their folder; some libraries live in one
# layer only. usage: layers.sh SOURCE-TREE; prints each offence, exit 1.
cd "${1:-.}/src" || exit 2
fail=0

# reject FOLDER REGEX: no file in FOLDER includes what matches REGEX.
reject() {
	[ -e "$1" ] || return 0
	if grep -rnE "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]($2)" \
	    --include='*.[ch]' "$1"; then
		echo "layers: $1/ must not include the above" >&2
		fail=1
	fi
}

ldns='ldns/'
main='ev\.h|confuse\.h|systemd/'
ring='liburing\.h|liburing/'
reject base     "(dns|zone|query|uring|transfer|server)/|$ldns|$main|$ring"
reject dns      "(zone|query|uring|transfer|server)/|$ldns|$main|$ring"
reject zone     "(query|uring|transfer|server)/|$main|$ring"
reject query    "(uring|transfer|server)/|$ldns|$main|$ring"
reject uring    "(dns|zone|query|transfer|server)/|$ldns|$main"
reject transfer "(uring|server)/|$ldns|$main|$ring"
for file in server/*.[ch]; do
	case $file in
	server/worker.c) ;;
	*) reject "$file" "$ldns|$ring" ;;
	esac
done
exit $fail
