import assert from "node:assert/strict";
import { test } from "node:test";
import { addressOf, addressProblem, withEndpoint } from "../src/model/endpoint";
import { refusalReason, refusalWords, vendorAndId } from "../src/model/refusals";
import { expanded } from "../src/server/words";

const INHERITED = {
  PATH: "/bin",
  ASSAY_BASE_URL: "https://old",
  ASSAY_API_KEY: "old",
  ASSAY_MODEL: "m",
};

test("a key of the environment is never sent to an address of the settings", () => {
  const endpoint = { baseUrl: "https://new/v1", model: "n", key: undefined };
  assert.deepEqual(withEndpoint(INHERITED, endpoint), {
    PATH: "/bin",
    ASSAY_BASE_URL: "https://new/v1",
    ASSAY_MODEL: "n",
  });
});

test("without an address in the settings the environment stays as it is", () => {
  assert.equal(withEndpoint(INHERITED, undefined), INHERITED);
});

test("an address is refused with a reason", () => {
  for (const good of ["https://models.example.com/v1", " http://127.0.0.1:8000 "]) {
    assert.equal(addressProblem(good), undefined);
  }
  for (const bad of [
    "",
    "models",
    "ftp://x",
    "https://{}.openai.azure.com/v1",
    "https://me:secret@x/v1",
  ]) {
    assert.ok(addressProblem(bad));
  }
});

test("what is wrong with a port is told", () => {
  for (const [typed, port] of [
    ["http://127.0.0.1:8322x/v1", "8322x"],
    ["localhost:8322x", "8322x"],
    ["https://models.example.com:99999/v1", "99999"],
    ["models.example.com:v1", "v1"],
  ] as const) {
    assert.match(addressProblem(typed) ?? "", new RegExp(`"${port}" is no port`));
  }
});

test("an address without its scheme is understood where that is safe", () => {
  assert.equal(addressOf(" 127.0.0.1:9 "), "http://127.0.0.1:9");
  assert.equal(addressOf("localhost:11434/v1"), "http://localhost:11434/v1");
  assert.equal(addressOf("[::1]:8000"), "http://[::1]:8000");
  assert.equal(addressOf("models.example.com/v1"), "https://models.example.com/v1");
  assert.equal(addressOf("https://x/v1"), "https://x/v1");
  for (const good of ["127.0.0.1:9", "localhost:9/v1", "models.example.com"]) {
    assert.equal(addressProblem(good), undefined);
  }
});

test("home and workspace are replaced where they stand for a folder", () => {
  const words = (word: string) => expanded(word, "/home/me", "/work");
  assert.equal(words("~/bin/assay"), "/home/me/bin/assay");
  assert.equal(words("~"), "/home/me");
  assert.equal(words("~other/x"), "~other/x");
  assert.equal(words("${workspaceFolder}/.venv/bin/assay"), "/work/.venv/bin/assay");
  assert.equal(expanded("${workspaceFolder}/a", "/h", undefined), "${workspaceFolder}/a");
});

test("a refusal of VS Code's has its reason, and anything else has none", () => {
  const codes = ["NoPermissions", "Blocked", "NotFound", "Unknown", ""];
  const reasons = ["consent", "quota", "unavailable", undefined, undefined];
  const errors = codes.map((code) => ({ name: "LanguageModelError", code, message: "no" }));
  assert.deepEqual(errors.map(refusalReason), reasons);
});

test("a spent quota of Copilot's has a name of its own, and no code", () => {
  const error = { name: "ChatQuotaExceeded", message: "You have used up your premium requests." };
  assert.equal(refusalReason(error), "quota");
  assert.equal(
    refusalWords("GPT-4o", error),
    "the quota of GPT-4o is spent: You have used up your premium requests.",
  );
});

test("a model of VS Code's is found by vendor and identifier", () => {
  assert.deepEqual(vendorAndId("copilot/gpt-4o"), { vendor: "copilot", id: "gpt-4o" });
  assert.deepEqual(vendorAndId("router/a/b"), { vendor: "router", id: "a/b" });
});
