import * as vscode from "vscode";
import {
  CloseAction,
  DidChangeConfigurationNotification,
  type DynamicFeature,
  ErrorAction,
  ExecuteCommandRequest,
  LanguageClient,
  type Middleware,
  RevealOutputChannelOn,
  type StaticFeature,
} from "vscode-languageclient/node";
import { answerRequests, chosenModel } from "../model/editorModels";
import { answerQuestions } from "./asking";
import type { ServerProcess } from "./process";
import { OWN_ANSWERS } from "./questions";
import { serverSettings } from "./settings";

/** What distinguishes one client of this window from another. */
export interface Realm {
  /** Whether it is this client's part to speak of a document. */
  readonly owns: (uri: vscode.Uri) => boolean;
  /** Settings that hold in it whatever the user's say. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** The one folder that its server knows; without it, the workspace's. */
  readonly folder?: vscode.WorkspaceFolder;
}

/** The scheme of notebooks' cells. */
export const CELLS = "vscode-notebook-cell";

export function makeClient(
  process: ServerProcess,
  realm: Realm,
  log: vscode.LogOutputChannel,
): LanguageClient {
  const settings = (scope?: vscode.Uri) => ({ ...serverSettings(scope), ...realm.settings });
  const client: LanguageClient = new Client(
    "assay",
    "Assay",
    () => Promise.resolve(process.child),
    {
      documentSelector: ["file", CELLS].map((scheme) => ({ scheme, language: "python" })),
      ...(realm.folder && { workspaceFolder: realm.folder }),
      outputChannel: log,
      traceOutputChannel: log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: () => ({ trusted: vscode.workspace.isTrusted, ...settings() }),
      // What becomes of the server is decided in one place, which sees the process, too.
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => ({ action: CloseAction.DoNotRestart, handled: true }),
      },
      middleware: { ...ofItsRealm(realm), ...configured(settings, () => client) },
    },
  );
  answerRequests(client);
  answerQuestions(client);
  return client;
}

class Client extends LanguageClient {
  /** The commands are registered once for all clients of the window: see `serverCommands`. */
  override registerFeature(feature: StaticFeature | DynamicFeature<unknown>): void {
    const isOfCommands =
      "registrationType" in feature &&
      feature.registrationType.method === ExecuteCommandRequest.method;
    if (!isOfCommands) {
      super.registerFeature(feature);
    }
  }

  override fillInitializeParams(params: Parameters<LanguageClient["fillInitializeParams"]>[0]) {
    super.fillInitializeParams(params);
    // VS Code lists what is tagged as a model's last; the replacement is what most users want.
    delete params.capabilities.textDocument?.codeAction?.tagSupport;
    const model = chosenModel();
    params.capabilities.experimental = {
      assay: {
        status: true,
        outcomes: true,
        diagnosticsInHover: true,
        commandLinks: true,
        asks: [...OWN_ANSWERS.keys()],
        ...(model && { complete: { models: [{ id: model }] } }),
      },
    };
  }

  /** Ours say what to do. This one still goes to the log. */
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

/** Keeps a client to the documents of its realm: a selector cannot leave out a folder. */
function ofItsRealm({ owns }: Realm): Middleware {
  // Cells are synchronised with their notebook.
  const sends = (uri: vscode.Uri) => uri.scheme !== CELLS && owns(uri);
  return {
    didOpen: async (document, next) => (sends(document.uri) ? next(document) : undefined),
    didChange: async (event, next) => (sends(event.document.uri) ? next(event) : undefined),
    willSave: async (event, next) => (sends(event.document.uri) ? next(event) : undefined),
    didSave: async (document, next) => (sends(document.uri) ? next(document) : undefined),
    didClose: async (document, next) => (sends(document.uri) ? next(document) : undefined),
    provideHover: (document, position, token, next) =>
      owns(document.uri) ? next(document, position, token) : undefined,
    provideCodeActions: (document, range, context, token, next) =>
      owns(document.uri) ? next(document, range, context, token) : undefined,
    provideCodeLenses: (document, token, next) =>
      owns(document.uri) ? next(document, token) : undefined,
    // The status says how far checks are.
    handleWorkDoneProgress: () => undefined,
    provideDiagnostics: async (document, previous, token, next) => {
      const uri = "uri" in document ? document.uri : document;
      return owns(uri) ? next(document, previous, token) : undefined;
    },
  };
}

/** The section as the server knows it: it complains about what it does not, such as its own path. */
function configured(
  settings: (scope?: vscode.Uri) => object,
  client: () => LanguageClient,
): Middleware {
  return {
    workspace: {
      configuration: ({ items }) =>
        items.map(({ section, scopeUri }) =>
          section === "assay"
            ? settings(scopeUri === undefined ? undefined : vscode.Uri.parse(scopeUri))
            : null,
        ),
      didChangeConfiguration: async () => {
        if (client().isRunning()) {
          await client().sendNotification(DidChangeConfigurationNotification.type, {
            settings: { assay: settings() },
          });
        }
      },
    },
  };
}
