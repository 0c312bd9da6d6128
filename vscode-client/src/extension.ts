import * as vscode from "vscode";
import { checkingCommands, ServerCommands } from "./commands";
import { Differences } from "./findings/difference";
import { Evidence } from "./findings/evidence";
import { CommandLine } from "./model/commandLine";
import { setUpModel } from "./model/setup";
import { Parts } from "./parts";
import { Postponed } from "./postponed";
import type { Sample } from "./sample";
import { openPathSetting } from "./server/settings";
import type { Servers } from "./servers";
import { showMenu, StatusBar } from "./status/bar";
import { modelIsKnown } from "./status/state";
import { tell } from "./telling";

// Those of which a server learns only when it is started.
const OF_THE_PROCESS = ["assay.path", "assay.baseUrl", "assay.model", "assay.editorModel"];

let running: Servers | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  await vscode.workspace.fs.createDirectory(context.globalStorageUri);
  const parts = new Parts(context);
  const differences = new Differences();
  const evidence = new Evidence();
  const bar = new StatusBar();
  const servers = parts.servers((client) => serverCommands.announce(client));
  const serverCommands = new ServerCommands(servers, differences, evidence);
  running = servers;
  context.subscriptions.push(
    parts.log,
    servers.workspace,
    servers.sample,
    bar,
    differences,
    evidence,
    serverCommands,
    servers.follow((state) => {
      bar.show(state);
      if (modelIsKnown(state)) {
        void parts.tour.reach("assay.hasModel");
      }
    }),
    ...checkingCommands(servers),
    ...ownCommands(parts, servers, differences),
    ...restarting(context, servers),
  );
  // Not awaited: an update of the server may take minutes, and the commands work before.
  void servers.workspace.restart();
}

export async function deactivate(): Promise<void> {
  await running?.stop();
}

function ownCommands(parts: Parts, servers: Servers, differences: Differences) {
  const register = vscode.commands.registerCommand;
  return [
    register("assay.showLogs", () => parts.log.show()),
    register("assay.showMenu", () => showMenu(servers.active.state)),
    register("assay.restart", () => servers.restart()),
    register("assay.install", () => parts.installer.install(servers)),
    register("assay.openPathSetting", openPathSetting),
    register("assay.acceptDifference", (uri?: vscode.Uri) => differences.accept(uri)),
    register("assay.openWalkthrough", () => parts.tour.open()),
    register("assay.openSample", () =>
      whereItWorks(servers, () => openSample(servers, parts.sample)),
    ),
    register("assay.setUpModel", () =>
      whereItWorks(servers, async () => {
        const { command } = await parts.launch();
        await setUpModel(new CommandLine(command, parts.storage), parts.choice);
      }),
    ),
  ];
}

/** Restarts servers when that of which they learn only at their start has changed. */
function restarting(context: vscode.ExtensionContext, servers: Servers): vscode.Disposable[] {
  // A model that is set up changes three things one after the other.
  const restart = new Postponed(() => servers.restart());
  return [
    restart,
    context.secrets.onDidChange(() => restart.soon()),
    vscode.workspace.onDidGrantWorkspaceTrust(() => restart.soon()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (OF_THE_PROCESS.some((name) => event.affectsConfiguration(name))) {
        restart.soon();
      }
    }),
  ];
}

/** Do what needs an `assay`, or say once more why there is none. */
async function whereItWorks({ workspace }: Servers, work: () => Promise<void>): Promise<void> {
  await workspace.settled;
  await (workspace.state.kind === "trouble" ? tell(workspace.state.trouble) : work());
}

async function openSample({ sample: server }: Servers, sample: Sample): Promise<void> {
  const { document } = await sample.open();
  if (server.running === undefined) {
    await server.restart();
  }
  await server.execute("assay.server.checkFile", [document.uri.toString()]);
}
