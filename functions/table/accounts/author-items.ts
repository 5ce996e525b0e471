import { keys } from "../keys.ts";
import { readItems } from "../read.ts";
import { put, remove, type Write } from "../transaction.ts";

/*
 * The name under which an account publishes, in an item of its own (docs/decisions/0024-a-game-has-its-own-origin.md#a-games-public-page-is-made-by-the-function-at-the-origin).
 */

/** The write that belongs to a change of an account's display name. */
export function authorWrite(accountKey: string, displayName: string | null): Write {
  const author = keys.author(accountKey);
  return displayName === null ? remove(author) : put(author, { displayName });
}

/** The name under which an account publishes; undefined if it has given none, or is deleted. */
export async function readAuthorName(accountKey: string): Promise<string | undefined> {
  const [author] = await readItems([keys.author(accountKey)]);
  return author?.displayName;
}
