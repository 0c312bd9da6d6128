#!/bin/sh
# Run the tests under Pythons that this system does not have yet: those of Debian's testing release,
# in a folder of their own. What `make test-newest` calls.
#
#   tests/newest/run.sh [PYTEST OPTIONS]
#
# PYTHONS  the versions               (default: 3.14 3.15)
#
# Needs Debian and root. The folder is .newest/root/, made once.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
cd "$here/../.."
root=$PWD/.newest/root

wanted=
command -v debootstrap >/dev/null || wanted="$wanted debootstrap"
command -v bwrap >/dev/null || wanted="$wanted bubblewrap"
if [ -n "$wanted" ]; then
    # shellcheck disable=SC2086
    apt-get update && apt-get install -y --no-install-recommends $wanted
fi

inside() {
    # Not chroot, where no process may have namespaces of its own.
    bwrap --bind "$root" / --dev-bind /dev /dev --proc /proc --bind /sys /sys --bind /tmp /tmp \
        --ro-bind /etc/resolv.conf /etc/resolv.conf --ro-bind /etc/ssl/certs /etc/ssl/certs "$@"
}

if [ ! -e "$root/.made" ]; then
    debootstrap --variant=minbase --include=ca-certificates,bubblewrap,procps \
        testing "$root" http://deb.debian.org/debian /usr/share/debootstrap/scripts/sid
    touch "$root/etc/resolv.conf" "$root/.made"
fi

# A copy: what is made on the way is not to lie in the repository.
rm -rf "$root/assay"
mkdir "$root/assay"
git ls-files -z | tar --create --null --files-from=- | tar --extract --directory "$root/assay"
for version in ${PYTHONS:-3.14 3.15}; do
    inside sh -euc '
        version=$1
        shift
        apt-get update || echo "newest: the lists of packages stay as they were" >&2
        apt-get install -y --no-install-recommends "python$version-venv"
        cd /assay
        [ -e "/v$version" ] || "python$version" -m venv "/v$version"
        "/v$version/bin/python" -m pip install --quiet --disable-pip-version-check -e ".[dev]"
        "/v$version/bin/python" -m pytest -q -n auto --dist worksteal "$@"
    ' sh "$version" "$@"
done
