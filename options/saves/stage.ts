import * as z from "zod/mini";
import type { InfraOption } from "../../infra/option.ts";
import { savesLinksPath, savesPagePath } from "./contract/saves-page.ts";
import { access } from "./functions/access.ts";

const settings = {
  /** False: players cannot move their saved games, because games have no page for it. */
  saves: z.optional(z.boolean("must be true or false")),
};

type SavesSettings = typeof settings;
declare module "../../infra/settings/stage-option.ts" {
  interface OptionSettings extends SavesSettings {}
}

export const saves: InfraOption = {
  name: "saves",
  settings,
  pages: [savesPagePath],
  offlinePages: [savesPagePath],
  apiPaths: [savesLinksPath],
  playersUpload: true,
  access,
  environment: { SAVES_PAGE: savesPagePath },
};
