#!/bin/sh
# Our extension as a .vsix, built from the sources here, and the browser driver's one dependency.
set -eu
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

# installed_from FOLDER NAME: npm's packages, again only when the lock file has changed.
installed_from() {
    stamp=$(sha256sum "$1/package-lock.json" | cut -d' ' -f1)
    is_installed "$2" "$stamp" && [ -d "$1/node_modules" ] && return
    say "installing the packages of ${1#"$repository"/}"
    logged "$2" npm --prefix "$1" ci --no-audit --no-fund --loglevel=error
    mark_installed "$2" "$stamp"
}

installed_from "$repository/vscode-client" vscode-client
installed_from "$repository/tests/editors/vscode" browser-driver
logged vscode-client npm --prefix "$repository/vscode-client" run package
