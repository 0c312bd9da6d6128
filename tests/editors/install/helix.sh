#!/bin/sh
# Helix, from Debian's next release.
set -eu
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

suite=forky
stamp="helix of $suite"
home=$editors/helix
is_installed helix "$stamp" && exit 0

say "installing $stamp"
unpacked helix "$suite" hx
program=$(readlink -f "$home/usr/bin/hx")
with_own_libraries "$home" "$program"
ln -s "$program" "$home/run"
"$home/run" --version >/dev/null || fail "the Helix of $suite does not start" "$home/run --version"
mark_installed helix "$stamp"
