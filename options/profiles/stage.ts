import * as z from "zod/mini";
import { profilePagePath } from "./contract/profile-page.ts";

export const profiles = {
  name: "profiles",
  settings: {
    /** False: no game is measured on a device, so there are no telemetry grants and no page that measures. */
    profiles: z.optional(z.boolean("must be true or false")),
  },
  pages: [profilePagePath],
} as const;
