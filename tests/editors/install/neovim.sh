#!/bin/sh
# Neovim 0.12 or newer, from Debian's next release.
set -eu
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

suite=forky
stamp="neovim of $suite"
home=$editors/neovim
is_installed neovim "$stamp" && exit 0

say "installing $stamp"
unpacked neovim "$suite" neovim
program=$(readlink -f "$home/usr/bin/nvim")
with_own_libraries "$home" "$program"

cat >"$home/run" <<END
#!/bin/sh
VIMRUNTIME="$home/usr/share/nvim/runtime" exec "$program" "\$@"
END
chmod +x "$home/run"
"$home/run" --headless -u NONE \
    -c 'if has("nvim-0.12") | quitall | else | cquit | endif' ||
    fail "the Neovim of $suite does not start or is older than 0.12" "$home/run --version"
mark_installed neovim "$stamp"
