import { hasCard } from "../../contract/folder/page-card.ts";
import { headBytes } from "../../contract/folder/picture.ts";
import { readHead } from "../files/store.ts";

/** What is known of pages by their objects: it never changes. */
const known = new Map<string, boolean>();
const pagesKept = 1_000;

/**
 * Whether the page with this key has a card of its own. Its bytes tell, not its publisher, so it holds for each release, of whatever client.
 *
 * @throws Error if it cannot be read
 */
export async function hasOwnCard(key: string): Promise<boolean> {
  const kept = known.get(key);
  if (kept !== undefined) return kept;
  const found = hasCard(new TextDecoder().decode(await readHead(key, headBytes)));
  if (known.size >= pagesKept) known.clear();
  known.set(key, found);
  return found;
}
