import * as vscode from "vscode";
import type { Endpoint } from "./endpoint";

/** The endpoint, or the model of VS Code's own, that VS Code's settings name; a key is in its secret storage.
 *
 * The settings are the user's own: the manifest gives them a scope that no workspace reaches. */
export class ModelChoice {
  constructor(private readonly secrets: vscode.SecretStorage) {}

  async endpoint(): Promise<Endpoint | undefined> {
    const section = vscode.workspace.getConfiguration("assay");
    const baseUrl = section.get("baseUrl", "");
    return baseUrl === ""
      ? undefined
      : { baseUrl, model: section.get("model", ""), key: await this.key(baseUrl) };
  }

  /** The key that was given for the service at an address. It goes to no other. */
  async key(baseUrl: string): Promise<string | undefined> {
    return this.secrets.get(nameOf(baseUrl));
  }

  /** Name nothing, so that Assay's own settings count. */
  async clear(): Promise<void> {
    const section = vscode.workspace.getConfiguration("assay");
    for (const name of ["editorModel", "baseUrl", "model"]) {
      await section.update(name, undefined, vscode.ConfigurationTarget.Global);
    }
  }

  async keep({ baseUrl, model, key }: Endpoint): Promise<void> {
    if (key === undefined) {
      await this.secrets.delete(nameOf(baseUrl));
    } else {
      await this.secrets.store(nameOf(baseUrl), key);
    }
    const section = vscode.workspace.getConfiguration("assay");
    await section.update("editorModel", undefined, vscode.ConfigurationTarget.Global);
    await section.update("model", model, vscode.ConfigurationTarget.Global);
    await section.update("baseUrl", baseUrl, vscode.ConfigurationTarget.Global);
  }

  async keepEditorModel(name: string): Promise<void> {
    await this.clear();
    const section = vscode.workspace.getConfiguration("assay");
    await section.update("editorModel", name, vscode.ConfigurationTarget.Global);
  }
}

function nameOf(baseUrl: string): string {
  return `key for ${URL.canParse(baseUrl) ? new URL(baseUrl).origin : baseUrl}`;
}
