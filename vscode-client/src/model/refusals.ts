/** What VS Code's errors have to tell one from another: `code` is a `LanguageModelError`'s. */
export interface EditorError {
  readonly name?: string;
  readonly code?: string;
  readonly message: string;
}

/** Why `assay/complete` is refused, in the words of docs/protocol.md. */
const REASONS = new Map<string | undefined, "consent" | "quota" | "unavailable">([
  ["NoPermissions", "consent"],
  ["Blocked", "quota"],
  ["NotFound", "unavailable"],
  // Copilot says so by the error's name, and gives no code.
  ["ChatQuotaExceeded", "quota"],
]);

/** The reason for which VS Code refuses; undefined for any other error. */
export function refusalReason({ code, name }: EditorError): string | undefined {
  return REASONS.get(code) ?? REASONS.get(name);
}

/** What went wrong when a model was tried, and what to do about it. */
export function refusalWords(model: string, error: EditorError): string {
  switch (refusalReason(error)) {
    case "consent":
      return `you have not allowed Assay to use ${model}. Choose it again and allow it, or choose another model.`;
    case "quota":
      return `the quota of ${model} is spent: ${error.message}`;
    default:
      return `${model} does not answer: ${error.message}`;
  }
}

/** The two halves of `copilot/gpt-4o`; the identifier may have slashes of its own. */
export function vendorAndId(model: string): { vendor: string; id: string } {
  const [vendor = "", ...rest] = model.split("/");
  return { vendor, id: rest.join("/") };
}
