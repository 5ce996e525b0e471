import type { LocalOption } from "../../local/option.ts";
import { savesLinksPath, savesPagePath } from "./contract/saves-page.ts";

export const saves: LocalOption = {
  name: "saves",
  pages: [savesPagePath],
  offlinePages: [savesPagePath],
  apiPaths: [savesLinksPath],
  playersUpload: true,
  environment: { SAVES_PAGE: savesPagePath },
};
