#!/bin/sh
# Debian packages that the editors and their drivers need. Asks for root only when one is missing.
set -eu
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

wanted='chromium fonts-dejavu-core fonts-noto-color-emoji tmux patchelf python3 make g++'

[ "$(uname -m)" = x86_64 ] || fail "this is $(uname -m)" "run it on x86_64, where the editors are"
command -v dpkg-query >/dev/null || fail "this is no Debian" "run it in a Debian container"
missing=
for package in $wanted; do
    state=$(dpkg-query --show --showformat '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$state" = installed ] || missing="$missing $package"
done
if [ -n "$missing" ] || [ -z "$(debian_mirror)" ]; then
    as_root=
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || fail "missing:$missing" "as root: apt-get update && apt-get install$missing"
        as_root=sudo
    fi
    say "apt-get:${missing:- reading the lists of packages}"
    logged packages $as_root apt-get update -qq
    # shellcheck disable=SC2086 # a list of words
    logged packages $as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install --yes --no-install-recommends $missing
fi

for tool in node npm; do
    command -v "$tool" >/dev/null ||
        fail "$tool is missing" "install Node 20 or newer with its npm (10 or newer)"
done
[ "$(node -p 'process.versions.node.split(".")[0] >= 20')" = true ] ||
    fail "Node $(node --version) is too old" "install Node 20 or newer"
[ "$(npm --version | cut -d. -f1)" -ge 10 ] ||
    fail "npm $(npm --version) is too old" "npm install --global npm@11"
