import type { Selection } from "./protocol.ts";

let waiting: { readonly slug: string; readonly picked: Selection } | undefined;

/** Keeps what a person dropped before its project existed, until the project's page takes it. */
export function keepSelection(slug: string, picked: Selection): void {
  waiting = { slug, picked };
}

/** What was kept for a project, once. */
export function takeSelection(slug: string): Selection | undefined {
  if (waiting?.slug !== slug) return undefined;
  const { picked } = waiting;
  waiting = undefined;
  return picked;
}
