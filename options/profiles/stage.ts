import * as z from "zod/mini";
import type { InfraOption } from "../../infra/option.ts";
import { profilePagePath } from "./contract/profile-page.ts";
import { access } from "./functions/access.ts";

const settings = {
  /** False: no game is measured on a device, so there are no telemetry grants and no page that measures. */
  profiles: z.optional(z.boolean("must be true or false")),
};

type ProfileSettings = typeof settings;
declare module "../../infra/settings/stage-option.ts" {
  interface OptionSettings extends ProfileSettings {}
}

export const profiles: InfraOption = { name: "profiles", settings, pages: [profilePagePath], access };
