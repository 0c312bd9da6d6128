#!/bin/sh
# What a person sees in a terminal, as text: the warning, the hover and the menu of quick fixes.
#
#   capture.sh NEOVIM INIT FILE FUNCTION OUT.txt
#
# The environment is the one that init.lua reads.
set -eu
neovim=$1 init=$2 file=$3 function=$4 out=$5

# A tmux server of our own: no session of the user's is touched, whatever happens here.
socket=assay-$$
terminal() {
    tmux -L "$socket" "$@"
}
trap 'terminal kill-server 2>/dev/null || true' EXIT

# Deadlines count tenths of a second.
wait_for() {
    left=${STORY_WAIT_SECONDS}0
    until terminal capture-pane -p | grep -q -- "$1"; do
        left=$((left - 1))
        [ "$left" -gt 0 ] || {
            terminal capture-pane -p
            echo "waited in vain for '$1' on the screen" >&2
            exit 1
        }
        sleep 0.1
    done
}

picture() {
    printf '%s\n' "--- $1"
    terminal capture-pane -p
}

terminal -f /dev/null new-session -d -x 160 -y 40 "$neovim" -u "$init" -i NONE "$file"
wait_for "assay is attached"
terminal send-keys ":write" Enter
wait_for '■'
terminal send-keys "/def $function/e" Enter
sleep 0.5
picture "the warning" >"$out"
terminal send-keys ":lua vim.lsp.buf.hover({ border = 'rounded' })" Enter
wait_for '╭'
picture "the hover" >>"$out"
terminal send-keys ":fclose | lua vim.lsp.buf.code_action()" Enter
wait_for 'Replace with'
picture "the menu of quick fixes" >>"$out"
terminal send-keys Escape ":qall!" Enter
