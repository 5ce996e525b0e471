import * as z from "zod/mini";
import { limits } from "../../../contract/api/limits.ts";
import { siteParams } from "../../../contract/api/projects/projects.ts";
import { hexDigest } from "../../../contract/api/releases/manifest.ts";
import { about, defineRoute, time } from "../../../contract/api/route.ts";
import type { ContractOption } from "../../../contract/api/routes.ts";
import { savesLinksPath } from "./saves-page.ts";

/*
 * Saved games that travel by a link (docs/decisions/0081-saves-that-travel.md#by-a-link). Players have no account, so anybody may call these routes.
 */

/** Requirements of both routes, which the page at the game's own origin calls. */
const byPlayers = { method: "POST", tag: "Projects", option: "saves", credential: "none", internal: true } as const;

export const sendSaves = defineRoute({
  ...byPlayers,
  path: `${savesLinksPath}:site`,
  summary: "Take sealed saved games of a player for an hour",
  params: siteParams,
  body: z.strictObject({
    size_bytes: about(
      "Length of what is sealed.",
      z
        .int("must be an integer")
        .check(
          z.minimum(1, "must be at least 1"),
          z.maximum(limits.savesLinkBytes, `must be at most ${limits.savesLinkBytes}`),
        ),
    ),
    sha256: about("Its SHA-256.", hexDigest),
  }),
  responses: {
    200: z.strictObject({
      id: about("Takes them, once.", z.string()),
      expires_at: about("From then on nobody gets them.", time),
      upload: about(
        "Where to put them.",
        z.strictObject({ url: z.string(), headers: z.record(z.string(), z.string()) }),
      ),
    }),
  },
  errors: ["saves_unavailable", "saves_link_limit_reached"],
});

export const takeSaves = defineRoute({
  ...byPlayers,
  path: `${savesLinksPath}:site/take`,
  summary: "Give sealed saved games to the one who has their id, once",
  params: siteParams,
  body: z.strictObject({
    id: about(
      "From the link. In the body, because paths are logged.",
      z.string().check(z.regex(/^[\w-]{22}$/, "must be the id of a link")),
    ),
  }),
  responses: { 200: z.strictObject({ url: about("Gives them for a minute.", z.string()) }) },
  errors: ["saves_unavailable", "saves_link_not_found"],
});

declare module "../../../contract/api/routes.ts" {
  interface OptionRoutes {
    readonly sendSaves: typeof sendSaves;
    readonly takeSaves: typeof takeSaves;
  }
}

export const savesContract = { routes: { sendSaves, takeSaves } } as const satisfies ContractOption;
