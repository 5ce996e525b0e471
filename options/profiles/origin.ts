import type { OptionPages } from "../../edge/origin-request.ts";
import { profilePagePath } from "./contract/profile-page.ts";

/** The page that measures a game; loaded when it is asked for. */
export const profiles: OptionPages = {
  [profilePagePath]: async (settings, api) => (await import("./functions/profile-page.ts")).profilePage(settings, api),
};
