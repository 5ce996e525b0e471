import { gamesOriginWith } from "../../../functions/origin/games-origin.ts";
import { profilePagePath } from "../contract/profile-page.ts";

/** The games' origin, with the page that measures a game; that is loaded when it is asked for. */
export const handler = gamesOriginWith({
  [profilePagePath]: async (settings, api) => (await import("../functions/profile-page.ts")).profilePage(settings, api),
});
