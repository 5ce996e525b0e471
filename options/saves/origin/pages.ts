import type { OptionPages } from "../../../edge/origin-request.ts";
import { savesPagePath } from "../contract/saves-page.ts";

/** The page that moves a player's saved games, which stay in browsers while the game is offline. */
export const savesPages: OptionPages = {
  [savesPagePath]: {
    make: async (_, service) => (await import("../functions/saves-page.ts")).savesPage(service),
    isOffline: true,
    link: "Move your saved games",
  },
};
