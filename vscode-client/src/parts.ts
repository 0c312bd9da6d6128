import * as path from "node:path";
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { OwnEnvironments } from "./install/environment";
import { Installer } from "./install/installing";
import { findWheel } from "./install/wheel";
import { ModelChoice } from "./model/choice";
import { withEndpoint } from "./model/endpoint";
import { Sample } from "./sample";
import { versionTrouble } from "./server/failing";
import { findLaunch, type Launch } from "./server/launch";
import { Server } from "./server/server";
import { Servers } from "./servers";
import { tell } from "./telling";
import { Tour } from "./tour";

/** What this extension is made of in one window. */
export class Parts {
  readonly tour = new Tour();
  readonly log = vscode.window.createOutputChannel("Assay", { log: true });
  /** The folder that VS Code keeps for this extension. */
  readonly storage: string;
  /** What the extension carries besides its code. */
  readonly carried: string;
  readonly environments: OwnEnvironments;
  readonly installer: Installer;
  readonly choice: ModelChoice;
  readonly sample: Sample;

  constructor(context: vscode.ExtensionContext) {
    this.storage = context.globalStorageUri.fsPath;
    this.carried = path.join(context.extensionPath, "dist");
    this.environments = new OwnEnvironments(path.join(this.storage, "servers"), () =>
      findWheel(this.carried),
    );
    this.installer = new Installer(this.environments, this.log);
    this.choice = new ModelChoice(context.secrets);
    this.sample = new Sample(path.join(this.carried, "sample"), this.storage);
  }

  launch(): Promise<Launch> {
    return findLaunch(this.environments, () => this.installer.update());
  }

  /** `announce` is called with each client whose server has begun to answer. */
  servers(announce: (client: LanguageClient) => void): Servers {
    const { sample } = this;
    const common = {
      log: this.log,
      cwd: this.storage,
      launch: () => this.launch(),
      onRunning: (client: LanguageClient, launch: Launch) => {
        announce(client);
        void this.tour.reach("assay.isInstalled");
        void this.compareVersions(client.initializeResult?.serverInfo?.version, launch);
      },
    };
    return new Servers(
      new Server({
        ...common,
        realm: { owns: (uri) => !sample.owns(uri), settings: {} },
        environment: async () => withEndpoint(process.env, await this.choice.endpoint()),
      }),
      new Server({ ...common, realm: sample.realm, environment: async () => process.env }),
    );
  }

  private async compareVersions(found: string | undefined, launch: Launch): Promise<void> {
    if (launch.origin === "own") {
      await this.environments.removeOthers();
      return;
    }
    const { version } = await findWheel(this.carried);
    if (found !== undefined && found !== version) {
      await tell(versionTrouble(launch, found, version));
    }
  }
}
