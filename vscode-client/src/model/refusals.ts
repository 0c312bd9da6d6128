/** Why `assay/complete` is refused, in the words of docs/protocol.md. */
const REASONS = new Map<unknown, string>([
  ["NoPermissions", "consent"],
  ["Blocked", "quota"],
  ["NotFound", "unavailable"],
]);

/** The reason for the `code` of one of VS Code's `LanguageModelError`s; undefined for any other. */
export function refusalReason(code: unknown): string | undefined {
  return REASONS.get(code);
}

/** The two halves of `copilot/gpt-4o`; the identifier may have slashes of its own. */
export function vendorAndId(model: string): { vendor: string; id: string } {
  const [vendor = "", ...rest] = model.split("/");
  return { vendor, id: rest.join("/") };
}
