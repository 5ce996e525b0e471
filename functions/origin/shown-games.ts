import type { ShownGame } from "../../edge/pages/named-pages.ts";

/** What was read of games, and until when it is shown. */
const known = new Map<string, { readonly game: ShownGame | undefined; readonly until: number }>();
const gamesKept = 1_000;
/** So a flood for paths that a game does not have is one read a minute for each function. */
const keptMilliseconds = 60_000;

/** What pages of ours say of a game that is live; undefined if nothing is to be said, or the table does not respond: the page needs neither. */
export async function shownGame(slug: string): Promise<ShownGame | undefined> {
  const kept = known.get(slug);
  if (kept !== undefined && Date.now() < kept.until) return kept.game;
  try {
    // Loaded for a page that a person opens alone: the SDK's client would lengthen every cold start.
    const { readShownGame } = await import("../domain/projects/published-facts.ts");
    const game = await readShownGame(slug);
    if (known.size >= gamesKept) known.clear();
    known.set(slug, { game, until: Date.now() + keptMilliseconds });
    return game;
  } catch {
    return undefined;
  }
}
