import type { OptionPages } from "../../../edge/origin-request.ts";
import { savesPagePath } from "../contract/saves-page.ts";

/** The page that moves a player's saved games, which stay in browsers while the game is offline. */
export const savesPages: OptionPages = {
  [savesPagePath]: {
    option: "saves",
    make: async (_, service, slug) => {
      const [{ isSwitchedOff }, { savesPage }] = await Promise.all([
        import("../../../functions/domain/projects/published-facts.ts"),
        import("../functions/saves-page.ts"),
      ]);
      return (await isSwitchedOff(slug, "saves")) ? undefined : savesPage(service);
    },
    isOffline: true,
    link: "Move your saved games",
  },
};
