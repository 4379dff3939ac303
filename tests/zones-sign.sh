#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# How the signed sample zones in zones/ were made from zones/unsigned/: new
# keys (thrown away afterwards: whoever changes a zone signs it anew), twenty
# years of validity, ECDSA P-256. Needs ldns-keygen and ldns-signzone (Debian:
# ldnsutils), and for opt-out, where ldns-signzone sets the flag but leaves no
# delegation out, dnssec-signzone (bind9-utils). Run from the top of the tree.
set -eu
umask 022
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

first=20261101000000
last=20461201000000

# keep SOURCE TARGET NOTE: the signed zone, with a head, becomes TARGET.
keep() {
	{
		echo "; SPDX-License-Identifier: BSD-2-Clause"
		echo "; $3"
		echo "; Made by tests/zones-sign.sh from $1"
		cat "$work/signed"
	} > "$2"
}

# nsec APEX SOURCE TARGET NOTE: one key signs all of the zone.
nsec() {
	key=$(cd "$work" && ldns-keygen -a ECDSAP256SHA256 -k "$1")
	ldns-signzone -o "$1" -i $first -e $last -f "$work/signed" \
		"$2" "$work/$key"
	keep "$2" "$3" "$4"
}

# optout APEX SOURCE TARGET NOTE: no salt, no extra iterations (RFC 9276).
optout() {
	key=$(cd "$work" && dnssec-keygen -q -a ECDSAP256SHA256 -f KSK "$1")
	cat "$2" "$work/$key.key" > "$work/unsigned"
	dnssec-signzone -q -z -A -3 - -H 0 -o "$1" -s $first -e $last -N keep -d "$work" \
		-O full -f "$work/signed" "$work/unsigned" "$work/$key" \
		> /dev/null
	sed -i '/^;/d' "$work/signed"
	keep "$2" "$3" "$4"
}

# root.zone in a zone-dir is the root zone.
nsec nsec.example. zones/unsigned/nsec.example.zone \
	zones/nsec.example.zone 'Signed with NSEC.'
optout nsec3.example. zones/unsigned/nsec3.example.zone \
	zones/nsec3.example.zone 'Signed with NSEC3 and opt-out.'
nsec . zones/unsigned/root.zone \
	zones/root.zone 'The shape of the root zone in small, NSEC.'
