#!/bin/sh
# Neovim 0.12 or newer, from Debian's next release, unpacked into a folder of its own: the machine's
# package database and sources stay as they are. The folder cannot be moved afterwards.
set -eu
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

suite=forky
stamp="neovim of $suite"
home=$editors/neovim
is_installed neovim "$stamp" && exit 0

mirror=$(debian_mirror)
[ -n "$mirror" ] || fail "apt knows no mirror of Debian" "run this on Debian 12 or newer"

say "installing $stamp"
rm -rf "$home"
state=$home/apt
mkdir -p "$state/lists/partial" "$state/archives/partial" "$state/none"
: >"$state/status"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" \
    >"$state/sources.list"

# With an empty status file apt sees nothing installed, so it fetches every dependency, libc included.
private_apt() {
    logged neovim apt-get --yes --quiet \
        -o Dir::State="$state" -o Dir::State::status="$state/status" \
        -o Dir::Cache="$state" -o Dir::Etc::sourcelist="$state/sources.list" \
        -o Dir::Etc::sourceparts="$state/none" -o Dir::Etc::preferencesparts="$state/none" \
        -o APT::Install-Recommends=false -o APT::Sandbox::User=root "$@"
}
private_apt update
private_apt install --download-only neovim
for package in "$state"/archives/*.deb; do
    dpkg-deb --extract "$package" "$home"
done
rm -rf "$state"

# Neovim gets its own loader and libraries by name; whatever it starts keeps the machine's.
program=$(readlink -f "$home/usr/bin/nvim")
loader=$(find "$home" -name 'ld-linux*.so.*' -print -quit)
libraries=$(find "$home" -name '*.so*' -printf '%h\n' | grep -v '/nvim' | sort -u | paste -sd: -)
patchelf --set-interpreter "$loader" --force-rpath --set-rpath "$libraries" "$program"

cat >"$home/run" <<END
#!/bin/sh
VIMRUNTIME="$home/usr/share/nvim/runtime" exec "$program" "\$@"
END
chmod +x "$home/run"
"$home/run" --headless -u NONE \
    -c 'if has("nvim-0.12") | quitall | else | cquit | endif' ||
    fail "the Neovim of $suite does not start or is older than 0.12" "$home/run --version"
mark_installed neovim "$stamp"
