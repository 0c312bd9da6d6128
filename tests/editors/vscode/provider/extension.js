// VS Code's own models without an account: replies come from a transcript, and a file says how it goes.
//
// STAND_IN: a folder with `replies.jsonl` (the transcript), `mood` (a key of MOODS; missing: it answers)
// and `asked.jsonl`, to which each request is added, with how it ended.
const fs = require("node:fs");
const path = require("node:path");
const vscode = require("vscode");

const folder = process.env.STAND_IN;
const MODEL = {
  id: "large",
  name: "Stand-in Large",
  family: "stand-in",
  version: "1",
  maxInputTokens: 100_000,
  maxOutputTokens: 10_000,
  capabilities: {},
  // With the proposed API `chatProvider`: VS Code asks its user before another extension may use it,
  // as it does for Copilot's.
  requiresAuthorization: { label: "somebody" },
};

const MOODS = {
  answers: async (prompt, progress) => {
    progress.report(new vscode.LanguageModelTextPart(replyTo(prompt)));
    return "answered";
  },
  // Word for word what VS Code's Copilot does: the quota has a name of its own, and no code.
  quota: async () => {
    const error = new vscode.LanguageModelError("You have used up your premium requests.");
    error.name = "ChatQuotaExceeded";
    throw error;
  },
  hangs: (_prompt, _progress, token) =>
    new Promise((resolve) => token.onCancellationRequested(() => resolve("cancelled"))),
};

const turns = new Map();

function replyTo(prompt) {
  const replies = transcript().get(prompt) ?? ["ready"];
  const turn = turns.get(prompt) ?? 0;
  turns.set(prompt, turn + 1);
  return replies[turn % replies.length];
}

let known;

/** The recorded replies by prompt, each as one user message, in their order. */
function transcript() {
  if (known === undefined) {
    known = new Map();
    const [, ...lines] = fs.readFileSync(path.join(folder, "replies.jsonl"), "utf8").trim().split("\n");
    const entries = lines.map((line) => JSON.parse(line)).sort((one, other) => one.sample - other.sample);
    for (const { prompt, text } of entries) {
      const whole = [prompt.system, prompt.user].filter(Boolean).join("\n\n");
      known.set(whole, [...(known.get(whole) ?? []), text]);
    }
  }
  return known;
}

function mood() {
  const file = path.join(folder, "mood");
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8").trim() : "answers";
}

exports.activate = (context) => {
  const provider = {
    provideLanguageModelChatInformation: () => [MODEL],
    provideTokenCount: (_model, text) => Math.ceil(JSON.stringify(text).length / 4),
    async provideLanguageModelChatResponse(_model, messages, _options, progress, token) {
      const texts = messages.map(({ content }) => content.map(({ value }) => value).join(""));
      const request = { roles: messages.map(({ role }) => role), prompt: texts.join("\n\n"), ended: "failed" };
      try {
        request.ended = await MOODS[mood()](request.prompt, progress, token);
      } finally {
        fs.appendFileSync(path.join(folder, "asked.jsonl"), `${JSON.stringify(request)}\n`);
      }
    },
  };
  context.subscriptions.push(vscode.lm.registerLanguageModelChatProvider("stand-in", provider));
};
