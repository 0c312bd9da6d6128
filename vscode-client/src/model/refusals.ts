/** The codes with which `assay/complete` is refused: see docs/protocol.md. */
const REFUSALS = new Map<unknown, number>([
  ["NoPermissions", 1],
  ["Blocked", 2],
  ["NotFound", 3],
]);
const INTERNAL_ERROR = -32603;

/** The code for the `code` of one of VS Code's `LanguageModelError`s, or of anything else. */
export function refusalCode(code: unknown): number {
  return REFUSALS.get(code) ?? INTERNAL_ERROR;
}

/** The two halves of `copilot/gpt-4o`; the identifier may have slashes of its own. */
export function vendorAndId(model: string): { vendor: string; id: string } {
  const [vendor = "", ...rest] = model.split("/");
  return { vendor, id: rest.join("/") };
}
