import type { OptionPages } from "../../edge/origin-request.ts";
import { gamesOriginWith } from "../../functions/origin/games-origin.ts";
import { profilePages } from "../../options/profiles/origin/pages.ts";
import { savesPages } from "../../options/saves/origin/pages.ts";

/** The pages that options add to each game's origin. */
const optionPages: readonly OptionPages[] = [
  // A line each.
  profilePages,
  savesPages,
];

/** The games' origin with them; each is loaded when it is asked for. */
export const handler = gamesOriginWith(Object.assign({}, ...optionPages));
