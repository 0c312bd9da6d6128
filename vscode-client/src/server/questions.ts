import type { Action } from "../troubles";
import { TRUST } from "../troubles";

/** What `assay/ask` carries: see docs/protocol.md. */
export interface Question {
  /** As in LSP: 1 an error, 2 a warning, 3 information. */
  readonly type: number;
  readonly message: string;
  readonly detail: string;
  readonly modal: boolean;
  readonly answers: readonly { readonly id: string; readonly title: string }[];
}

/** The answers that this extension acts upon. The server does what the others say. */
export const OWN_ANSWERS: ReadonlyMap<string, Action> = new Map([
  ["setUpModel", { title: "Set Up a Model", command: "assay.setUpModel" }],
  ["trust", TRUST],
  [
    "raiseLimit",
    {
      title: "Raise the Limit",
      command: "workbench.action.openSettings",
      arguments: ["@ext:assay.assay budget"],
    },
  ],
]);

// What a dialog's own button for leaving it says.
const LEAVING = ["notNow", "no"];

export interface Shown {
  readonly level: "error" | "warning" | "information";
  readonly message: string;
  readonly options: { readonly modal: boolean; readonly detail?: string };
  readonly items: readonly { id: string; title: string; isCloseAffordance?: boolean }[];
}

/** A dialog for who waits for the answer, and a notification for everybody else. */
export function shownAs({ type, message, detail, modal, answers }: Question): Shown {
  const level = type === 1 ? "error" : type === 2 ? "warning" : "information";
  const items = answers.map(({ id, title }) => ({
    id,
    title,
    // Only a dialog has such a button. A notification is left by its cross.
    ...(modal && LEAVING.includes(id) && { isCloseAffordance: true }),
  }));
  return modal
    ? { level, message, options: { modal, ...(detail && { detail }) }, items }
    : { level, message: [message, detail].filter(Boolean).join(" "), options: { modal }, items };
}
