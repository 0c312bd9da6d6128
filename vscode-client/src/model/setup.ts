import * as vscode from "vscode";
import { editorInView } from "../editors";
import { tell } from "../telling";
import { SHOW_LOGS } from "../troubles";
import type { ModelChoice } from "./choice";
import type { CommandLine, FoundCommand, LocalServer, Probe, Provider } from "./commandLine";
import { ask, editorModels, nameOf } from "./editorModels";
import { addressOf, addressProblem, type Endpoint } from "./endpoint";
import { type EditorError, refusalWords } from "./refusals";

const TITLE = "Set Up a Model";
const CHANGE = "Change…";
// The place from which an address or a key is copied takes the focus.
const STAY = { title: TITLE, ignoreFocusOut: true } as const;

interface Service {
  readonly name: string;
  readonly baseUrl: string;
  readonly wantsKey: boolean | "maybe";
  /** Those that are known without asking again. */
  readonly models?: readonly string[];
}

/** Ask for an endpoint, model and key, try them, and keep them. */
export async function setUpModel(commandLine: CommandLine, choice: ModelChoice): Promise<void> {
  try {
    const endpoint = await askForEndpoint(commandLine, choice);
    await (endpoint && choice.keep(endpoint));
  } catch (error) {
    void tell({ message: `Assay: the model could not be set up: ${error}`, button: SHOW_LOGS });
  }
}

/** What the user chose and tried; undefined if they left on the way. What does not work can be
 * changed, with what was entered still there. */
async function askForEndpoint(
  commandLine: CommandLine,
  choice: ModelChoice,
): Promise<Endpoint | undefined> {
  let service = await askForService(commandLine, await choice.endpoint());
  let entered: Partial<Endpoint> = {};
  for (;;) {
    if (service === undefined) {
      return undefined;
    }
    if (service instanceof Array) {
      await setUpEditorModel(choice, service);
      return undefined;
    }
    if ("signed_in" in service) {
      await setUpCommand(commandLine, choice, service);
      return undefined;
    }
    const kept = entered.key ?? (await choice.key(service.baseUrl));
    const key = await askForKey(service, kept);
    if (key === undefined) {
      return undefined;
    }
    const known = { baseUrl: service.baseUrl, key: key === "" ? undefined : key };
    const model = await askForModel(commandLine, service, known, entered.model);
    if (model === undefined) {
      return undefined;
    }
    if (model !== CHANGE) {
      const endpoint = { ...known, model };
      const asking = `Asking ${model} for one word`;
      const probe = await working(asking, () => commandLine.probe(endpoint));
      const outcome = await isAccepted(endpoint, probe);
      if (outcome !== CHANGE) {
        return outcome ? endpoint : undefined;
      }
      entered = endpoint;
    }
    entered = { ...entered, ...known };
    service = await askForAddress(service);
  }
}

/** VS Code asks whether it may be used, when it is asked for a word. */
async function setUpEditorModel(choice: ModelChoice, models: EditorModels): Promise<void> {
  const rows = models.map((model) => ({ label: model.name, description: nameOf(model), model }));
  const picked =
    rows.length === 1
      ? rows[0]
      : await vscode.window.showQuickPick(rows, { ...STAY, placeHolder: "Which of its models?" });
  if (picked === undefined) {
    return;
  }
  const { label, description: name, model } = picked;
  const began = Date.now();
  try {
    await working(`Asking ${label} for one word`, () =>
      ask(model, ["Reply with the one word: ready"]),
    );
  } catch (error) {
    await chooseAnew(refusalWords(label, error as EditorError));
    return;
  }
  await choice.keepEditorModel(name);
  void sayItAnswers(label, (Date.now() - began) / 1000);
}

/** Nothing is left to be asked. */
async function setUpCommand(
  commandLine: CommandLine,
  choice: ModelChoice,
  { name, product, signed_in: signedIn, sign_in: signIn }: FoundCommand,
): Promise<void> {
  if (signedIn === false) {
    const terminal = vscode.window.createTerminal(`Sign in to ${product}`);
    terminal.show();
    terminal.sendText(signIn);
    return;
  }
  const probe = await working(`Asking ${product} for one word`, () => commandLine.setUp(name));
  if (probe.problem !== undefined) {
    await chooseAnew(`${product} does not answer as it should: ${probe.problem}`);
    return;
  }
  await choice.clear();
  // Assay's own settings name it now, and a server reads them when it starts.
  await vscode.commands.executeCommand("assay.restart");
  void sayItAnswers(product, probe.seconds);
}

async function askForService(
  commandLine: CommandLine,
  present: Endpoint | undefined,
): Promise<Service | FoundCommand | EditorModels | undefined> {
  const choices = Promise.all([commandLine.choices(), editorModels()]).then(
    ([{ commands = [], servers, providers }, models]) => [
      ...separated("In use", present && URL.canParse(present.baseUrl) ? [fromPresent(present)] : []),
      ...separated("VS Code's own: no key", fromEditor(models)),
      ...separated("What you are signed in to: no key", commands.map(fromCommand)),
      ...separated("On this machine", servers.map(fromServer)),
      ...separated("Services", providers.map(fromProvider)),
      ...separated("Others", [ANOTHER]),
    ],
  );
  const picked = await vscode.window.showQuickPick(choices, {
    ...STAY,
    placeHolder: "Which model should write other implementations of your functions?",
    matchOnDetail: true,
  });
  const known = picked?.editorModels ?? picked?.command;
  if (known !== undefined) {
    return known;
  }
  if (picked?.service === undefined) {
    return undefined;
  }
  const { service, wantsAddress } = picked;
  if (!wantsAddress) {
    return service;
  }
  return askForAddress(service);
}

async function askForAddress(service: Service): Promise<Service | undefined> {
  const typed = await vscode.window.showInputBox({
    ...STAY,
    prompt: "The address of its OpenAI-compatible API; most end in /v1",
    value: service.baseUrl,
    placeHolder: "http://127.0.0.1:8000/v1",
    // What the user has to put in stands between braces.
    valueSelection: selected(service.baseUrl),
    validateInput: addressProblem,
  });
  return typed === undefined ? undefined : { ...service, baseUrl: addressOf(typed) };
}

/** Empty if there is to be none. */
async function askForKey(service: Service, kept: string | undefined): Promise<string | undefined> {
  if (service.wantsKey === false) {
    return "";
  }
  const typed = await vscode.window.showInputBox({
    ...STAY,
    password: true,
    prompt:
      `The key for ${service.name}. VS Code's secret storage keeps it, and it is sent to ` +
      `${new URL(service.baseUrl).host} only.`,
    placeHolder:
      kept !== undefined
        ? "Leave this empty to use the stored key"
        : service.wantsKey === "maybe"
          ? "Leave this empty if it needs no key"
          : "",
    validateInput: (value) =>
      value.trim() === "" && kept === undefined && service.wantsKey === true
        ? "It needs a key."
        : undefined,
  });
  return typed === undefined ? undefined : typed.trim() || (kept ?? "");
}

async function askForModel(
  commandLine: CommandLine,
  service: Service,
  known: Omit<Endpoint, "model">,
  entered: string | undefined,
): Promise<string | typeof CHANGE | undefined> {
  const { models = [], problem = "" } =
    service.models === undefined
      ? await working(`Asking ${service.name} for its models`, () => commandLine.choices(known))
      : { models: service.models };
  if (problem !== "") {
    const goingOn = await changedOrGoesOn(problem, "Name the Model Anyway");
    if (goingOn !== true) {
      return goingOn === CHANGE ? CHANGE : undefined;
    }
  }
  if (models.length > 0) {
    const other = { label: "$(edit) Another one…", alwaysShow: true };
    const picked = await vscode.window.showQuickPick(
      [...models.map((label) => ({ label })), other],
      {
        ...STAY,
        placeHolder: `Which of the models of ${service.name}?`,
      },
    );
    if (picked !== other) {
      return picked?.label;
    }
  }
  const typed = await vscode.window.showInputBox({
    ...STAY,
    prompt: `The name of the model, as ${service.name} spells it`,
    value: entered ?? "",
    validateInput: (value) => (value.trim() === "" ? "Enter a name." : undefined),
  });
  return typed?.trim();
}

async function isAccepted(
  { model, baseUrl }: Endpoint,
  probe: Probe,
): Promise<boolean | typeof CHANGE> {
  const where = `${model} at ${new URL(baseUrl).host}`;
  if (probe.problem === undefined) {
    void sayItAnswers(where, probe.seconds);
    return true;
  }
  return changedOrGoesOn(
    `${where} does not answer as it should: ${probe.problem}`,
    "Use It Anyway",
  );
}

/** Say that a model can be used, and offer the first use. */
async function sayItAnswers(model: string, seconds: number): Promise<void> {
  const said = `Assay: ${model} answers, after ${seconds.toFixed(1)} s. Assay uses it from now on.`;
  const checks = editorInView() === undefined ? [] : ["Check This File"];
  if (await vscode.window.showInformationMessage(said, ...checks)) {
    await vscode.commands.executeCommand("assay.checkFile");
  }
}

/** Whether the user goes on in spite of a problem, or wants to change what they have entered. */
async function changedOrGoesOn(
  problem: string,
  anyway: string,
): Promise<boolean | typeof CHANGE> {
  const answer = await vscode.window.showWarningMessage(`Assay: ${problem}`, CHANGE, anyway);
  return answer === CHANGE ? CHANGE : answer === anyway;
}

/** Say what does not work; the user may choose anew. */
async function chooseAnew(problem: string): Promise<void> {
  const answer = await vscode.window.showWarningMessage(`Assay: ${problem}`, CHANGE);
  if (answer === CHANGE) {
    void vscode.commands.executeCommand("assay.setUpModel");
  }
}

function working<Result>(title: string, work: () => Promise<Result>): Promise<Result> {
  const where = { location: vscode.ProgressLocation.Notification, title: `Assay: ${title}` };
  return Promise.resolve(vscode.window.withProgress(where, work));
}

type EditorModels = readonly vscode.LanguageModelChat[];

interface Row extends vscode.QuickPickItem {
  readonly editorModels?: EditorModels;
  readonly command?: FoundCommand;
  readonly service?: Service;
  readonly wantsAddress?: boolean;
}

const ANOTHER: Row = {
  label: "Another address…",
  detail: "Any server with OpenAI's API: vLLM, llama.cpp, a proxy, a company's own",
  service: { name: "this address", baseUrl: "", wantsKey: "maybe" },
  wantsAddress: true,
};

/** One row for each who provides some. */
function fromEditor(models: EditorModels): readonly Row[] {
  return [...new Set(models.map(({ vendor }) => vendor))].map((vendor) => {
    const theirs = models.filter((model) => model.vendor === vendor);
    const product = vendor === "copilot" ? "Copilot" : vendor;
    const [first, ...others] = theirs;
    const description = others.length === 0 ? first?.name : `${theirs.length} models`;
    const detail = "As VS Code is signed in; it asks you before the first request";
    return { label: `Use ${product}`, description, detail, editorModels: theirs };
  });
}

function fromPresent({ baseUrl, model }: Endpoint): Row {
  const { host } = new URL(baseUrl);
  return {
    label: model,
    description: baseUrl,
    detail: "To try it again, or to choose another of its models",
    service: { name: host, baseUrl, wantsKey: "maybe" },
  };
}

function fromCommand(command: FoundCommand): Row {
  const { name, product, signed_in: signedIn, sign_in: signIn } = command;
  const detail =
    signedIn === false
      ? `Not signed in: this types ${signIn} in a terminal`
      : "As it is on this machine, without its tools";
  return { label: product, description: name, detail, command };
}

function fromServer({ product, base_url: baseUrl, models }: LocalServer): Row {
  return {
    label: product,
    description: baseUrl,
    detail: "Nothing leaves this machine",
    service: { name: product, baseUrl, models, wantsKey: false },
  };
}

function fromProvider({ name, base_url: baseUrl }: Provider): Row {
  const wantsAddress = baseUrl.includes("{}");
  return {
    label: name,
    description: wantsAddress ? "" : new URL(baseUrl).host,
    service: { name, baseUrl, wantsKey: true },
    wantsAddress,
  };
}

function selected(address: string): [number, number] {
  const start = address.indexOf("{}");
  return start === -1 ? [0, address.length] : [start, start + 2];
}

function separated(label: string, rows: readonly Row[]): readonly Row[] {
  const separator = { label, kind: vscode.QuickPickItemKind.Separator };
  return rows.length === 0 ? [] : [separator, ...rows];
}
