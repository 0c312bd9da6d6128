#!/bin/sh
# Emacs 30 or newer, which brings eglot, from Debian's release after 12.
set -eu
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

suite=trixie
stamp="emacs of $suite"
home=$editors/emacs
is_installed emacs "$stamp" && exit 0

say "installing $stamp"
unpacked emacs "$suite" emacs-nox
program=$home/usr/bin/emacs-nox
with_own_libraries "$home" "$program"

# It would look for everything under /usr.
share=$(echo "$home"/usr/share/emacs/[0-9]*)
exec_folder=$(echo "$home"/usr/libexec/emacs/*/*)
lisp=$(find "$share/lisp" -type d ! -path '*/obsolete*' | paste -sd: -)
cat >"$home/run" <<END
#!/bin/sh
export EMACSLOADPATH="$lisp" EMACSDATA="$share/etc" EMACSDOC="$share/etc" EMACSPATH="$exec_folder"
export TERMINFO_DIRS=/etc/terminfo:/lib/terminfo:/usr/share/terminfo
exec "$program" --dump-file="$(echo "$exec_folder"/emacs-*.pdmp)" "\$@"
END
chmod +x "$home/run"
"$home/run" --batch --eval '(kill-emacs (if (>= emacs-major-version 30) 0 1))' ||
    fail "the Emacs of $suite does not start or is older than 30" "$home/run --version"
mark_installed emacs "$stamp"
