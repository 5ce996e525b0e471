import type { LocalOption } from "../../local/option.ts";
import { savesPagePath } from "./contract/saves-page.ts";

export const saves: LocalOption = {
  name: "saves",
  pages: [savesPagePath],
  offlinePages: [savesPagePath],
  environment: { SAVES_PAGE: savesPagePath },
};
