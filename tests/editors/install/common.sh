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
