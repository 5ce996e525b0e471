import { UserError } from "../errors.ts";
import { count } from "../text.ts";

/** A publication that is probably a mistake: a person is asked, and a job adds --force. */
export class UnconfirmedError extends UserError {
  readonly question: string;

  constructor(question: string, message: string, { code, next }: { readonly code: string; readonly next: string }) {
    super(message, { code, next });
    this.question = question;
  }
}

/** @throws UnconfirmedError if a page alone takes the place of a release with more files */
export function assertKeepsFiles(page: string, removed: number): void {
  if (removed === 0) return;
  const taken = `${page} alone removes ${count(removed, "file")} of the live release`;
  throw new UnconfirmedError(`${taken}. Publish it anyway?`, `${taken}. Nothing is changed.`, {
    code: "page_removes_files",
    next: "Publish the folder: svc publish DIR. If the page is the whole game, add --force.",
  });
}

/** As a shell takes it. */
export function quoted(name: string): string {
  return /^[\w./\\-]+$/.test(name) ? name : `"${name}"`;
}
