# Sourced by the scripts beside it: where the editors go, how to say something, what is already there.
# shellcheck shell=sh

repository=$(CDPATH='' cd -- "$(dirname -- "$0")/../../.." && pwd)
editors=$repository/.editors
mkdir -p "$editors"

say() {
    printf 'editors: %s\n' "$*" >&2
}

# fail WHAT NEXT: what went wrong and what the reader can do about it.
fail() {
    say "$1"
    say "  $2"
    exit 1
}

# A mirror of Debian that this machine already uses, so that it can be reached; nothing before the
# first `apt-get update`.
debian_mirror() {
    # shellcheck disable=SC2016 # apt's variable, not ours
    apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' | head -n 1
}

# logged NAME COMMAND...: the output goes to a log and is shown only when the command fails.
logged() {
    log=$editors/install-$1.log
    shift
    "$@" >"$log" 2>&1 && return
    tail -n 30 "$log" >&2
    fail "failed: $*" "the whole output is in $log"
}

# An installation that was interrupted must not pass for a finished one, so the stamp comes last.
is_installed() {
    [ "$(cat "$editors/$1.stamp" 2>/dev/null)" = "$2" ]
}

mark_installed() {
    printf '%s\n' "$2" >"$editors/$1.stamp"
}

# unpacked NAME SUITE PACKAGE: a package of another release of Debian, with all that it depends on, in
# the folder NAME. The machine's package database and sources stay as they are.
unpacked() {
    mirror=$(debian_mirror)
    [ -n "$mirror" ] || fail "apt knows no mirror of Debian" "run this on Debian 12 or newer"
    folder=$editors/$1
    rm -rf "$folder"
    state=$folder/apt
    mkdir -p "$state/lists/partial" "$state/archives/partial" "$state/none"
    # With an empty status file apt sees nothing installed, so it fetches every dependency, libc included.
    : >"$state/status"
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $2 main" \
        >"$state/sources.list"
    private_apt "$1" update
    private_apt "$1" install --download-only "$3"
    for package in "$state"/archives/*.deb; do
        dpkg-deb --extract "$package" "$folder"
    done
    rm -rf "$state"
}

private_apt() {
    name=$1
    shift
    logged "$name" apt-get --yes --quiet \
        -o Dir::State="$state" -o Dir::State::status="$state/status" \
        -o Dir::Cache="$state" -o Dir::Etc::sourcelist="$state/sources.list" \
        -o Dir::Etc::sourceparts="$state/none" -o Dir::Etc::preferencesparts="$state/none" \
        -o APT::Install-Recommends=false -o APT::Sandbox::User=root "$@"
}

# with_own_libraries FOLDER PROGRAM: it gets the folder's loader and libraries by name, so that the
# folder cannot be moved afterwards; whatever the program starts keeps the machine's.
with_own_libraries() {
    loader=$(find "$1" -name 'ld-linux*.so.*' -print -quit)
    libraries=$(find "$1" -name '*.so*' -printf '%h\n' | grep -v '/nvim' | sort -u | paste -sd: -)
    patchelf --set-interpreter "$loader" --force-rpath --set-rpath "$libraries" "$2"
}
