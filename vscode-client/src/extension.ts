import * as vscode from "vscode";
import { checkingCommands, ServerCommands } from "./commands";
import { explain } from "./findings/codes";
import { Differences } from "./findings/difference";
import { OwnEnvironments } from "./install/environment";
import { Installer } from "./install/installing";
import { findWheel } from "./install/wheel";
import { ModelChoice } from "./model/choice";
import { CommandLine } from "./model/commandLine";
import { withEndpoint } from "./model/endpoint";
import { setUpModel } from "./model/setup";
import { Sample } from "./sample";
import { versionTrouble } from "./server/failing";
import { findLaunch } from "./server/launch";
import { Server, type ServerOptions } from "./server/server";
import { openPathSetting } from "./server/settings";
import { Servers } from "./servers";
import { showMenu, StatusBar } from "./status/bar";
import { modelIsKnown, type State } from "./status/state";
import { tell } from "./telling";

const WALKTHROUGH = "assay.assay#tour";
// Those of which a server learns only when it is started.
const OF_THE_PROCESS = ["assay.path", "assay.baseUrl", "assay.model"];

let servers: Servers | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel("Assay", { log: true });
  const storage = context.globalStorageUri.fsPath;
  const carried = vscode.Uri.joinPath(context.extensionUri, "dist");
  const wheel = () => findWheel(carried.fsPath);
  const environments = new OwnEnvironments(`${storage}/servers`, wheel);
  const installer = new Installer(environments, log);
  const choice = new ModelChoice(context.secrets);
  const sample = new Sample(`${carried.fsPath}/sample`, storage);
  await vscode.workspace.fs.createDirectory(context.globalStorageUri);
  const common: Omit<ServerOptions, "realm" | "environment"> = {
    log,
    cwd: storage,
    launch: () => findLaunch(environments, () => installer.update()),
    onRunning: async (client, launch) => {
      serverCommands.announce(client);
      void vscode.commands.executeCommand("setContext", "assay.isInstalled", true);
      const { version } = await wheel();
      const found = client.initializeResult?.serverInfo?.version;
      if (launch.origin !== "own" && found !== undefined && found !== version) {
        void tell(versionTrouble(launch, found, version));
      }
    },
  };
  const all = new Servers(
    new Server({
      ...common,
      realm: { owns: (uri) => !sample.owns(uri), settings: {} },
      environment: async () => withEndpoint(process.env, await choice.endpoint()),
    }),
    new Server({ ...common, realm: sample.realm, environment: async () => process.env }),
  );
  servers = all;
  const differences = new Differences();
  const serverCommands = new ServerCommands(all, differences);
  const bar = new StatusBar();
  const register = vscode.commands.registerCommand;
  context.subscriptions.push(
    log,
    bar,
    differences,
    serverCommands,
    all.follow((state) => show(bar, state)),
    ...checkingCommands(all),
    register("assay.showLogs", () => log.show()),
    register("assay.showMenu", () => showMenu(all.active.state)),
    register("assay.restart", () => all.restart()),
    register("assay.install", () => installer.install(all)),
    register("assay.openPathSetting", openPathSetting),
    register("assay.explain", (code: unknown) => explain(carried, code)),
    register("assay.acceptDifference", (uri?: vscode.Uri) => differences.accept(uri)),
    register("assay.openWalkthrough", () =>
      vscode.commands.executeCommand("workbench.action.openWalkthrough", WALKTHROUGH),
    ),
    register("assay.openSample", () => openSample(all, sample)),
    register("assay.setUpModel", async () => {
      if (all.workspace.state.kind === "trouble") {
        void tell(all.workspace.state.trouble);
        return;
      }
      const { command } = await common.launch();
      if (await setUpModel(new CommandLine(command, storage), choice)) {
        // Address and model may be the same as before, with another key.
        await all.workspace.restart();
      }
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => all.workspace.restart()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (OF_THE_PROCESS.some((name) => event.affectsConfiguration(name))) {
        void all.restart();
      }
    }),
  );
  await all.workspace.restart();
}

export async function deactivate(): Promise<void> {
  await servers?.stop();
}

function show(bar: StatusBar, state: State): void {
  bar.show(state);
  if (modelIsKnown(state)) {
    void vscode.commands.executeCommand("setContext", "assay.hasModel", true);
  }
}

async function openSample({ workspace, sample: server }: Servers, sample: Sample): Promise<void> {
  if (workspace.state.kind === "trouble") {
    void tell(workspace.state.trouble);
    return;
  }
  const { document } = await sample.open();
  if (server.running === undefined) {
    await server.restart();
  }
  await server.execute("assay.server.checkFile", [document.uri.toString()]);
}
