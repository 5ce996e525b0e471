import type { OptionPages } from "../../../edge/origin-request.ts";
import { profilePagePath } from "../contract/profile-page.ts";

/** The page that measures a game. */
export const profilePages: OptionPages = {
  [profilePagePath]: {
    option: "profiles",
    make: async (settings, { api }) => (await import("../functions/profile-page.ts")).profilePage(settings, api),
  },
};
