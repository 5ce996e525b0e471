import * as z from "zod/mini";
import { limits } from "../../../contract/api/limits.ts";
import { byPeople, byPublishers, slugParams } from "../../../contract/api/projects/projects.ts";
import { about, defineRoute, nextCursor, pageQuery, pathParameter, time } from "../../../contract/api/route.ts";
import type { ContractOption } from "../../../contract/api/routes.ts";
import { telemetryRecord } from "./telemetry-records.ts";

/*
 * Profiles of games: a telemetry grant lets the page that measures add to one of them (docs/decisions/0072-telemetry-grants.md).
 */

export const profile = z.strictObject({
  id: about("Its id, and its grant's.", z.string(), "00VbbQ1xG7mT0c2LkD5rYw"),
  release: about("The id of its release.", z.string(), "00VbbL3M8vSKHg8rDkhym8"),
  device: about("Browser and graphics card; null before it measures.", z.nullable(z.string()), null),
  created_at: about("When its link was made.", time),
  grant_ends_at: about("Until when can be measured; null if that has ended.", z.nullable(time)),
  bytes: about("How much it has.", z.int(), 48_213),
  expires_at: about("When it is deleted.", time),
});

export const createTelemetryGrant = defineRoute({
  method: "POST",
  path: "/projects/:slug/telemetry-grants",
  summary: "Make a link with which a release is profiled on any device, for an hour",
  tag: "Profiles",
  option: "profiles",
  ...byPublishers,
  // docs/decisions/0072-telemetry-grants.md: the caller's uid must own the game.
  project: "owner",
  scope: "publish",
  personMakesLive: "free",
  params: slugParams,
  body: z.strictObject({
    release: about(
      "The id of a release that can be played: live, or shown by a preview. The live one if it is left out.",
      z.optional(pathParameter),
      "00VbbL3M8vSKHg8rDkhym8",
    ),
  }),
  bodyOptional: true,
  responses: {
    201: z.strictObject({
      profile: about("Empty at first.", profile),
      url: about(
        "Opens the page that measures. Its fragment has the grant, which is shown only here, and what names the release there.",
        z.string(),
        "https://star-hopper.games.example/.well-known/svc/profile#tgr_8Zk2QeT4vJr0bW6nXy1LmD9sAc5GhFp3.q83vEjRWeJASNFZ4kBI0VniQEjRWeJASNFZ4kBI0Vng",
      ),
    }),
  },
  errors: ["release_not_found", "preview_not_found", "telemetry_grant_limit_reached", "quota_exceeded"],
});

const profileParams = z.extend(slugParams, {
  id: about("The profile's id.", pathParameter, "00VbbQ1xG7mT0c2LkD5rYw"),
});

export const endTelemetryGrant = defineRoute({
  method: "DELETE",
  path: "/projects/:slug/telemetry-grants/:id",
  summary: "End a telemetry grant; its profile stays",
  tag: "Profiles",
  option: "profiles",
  ...byPublishers,
  scope: "publish",
  personMakesLive: "free",
  params: profileParams,
  responses: { 204: null },
  errors: ["profile_not_found"],
});

const records = z.array(telemetryRecord).check(
  z.maxLength(limits.telemetryRecords, `must have at most ${limits.telemetryRecords} records`),
  z.refine(
    (all) => JSON.stringify(all).length <= limits.telemetryCharacters,
    `must have at most ${limits.telemetryCharacters} characters`,
  ),
);

export const sendTelemetry = defineRoute({
  method: "POST",
  path: "/telemetry",
  summary: "Add to a profile, from the game's origin alone; what it has already is not added again",
  tag: "Profiles",
  option: "profiles",
  credential: "grant",
  internal: true,
  body: z.strictObject({
    page: about(
      "Chosen at random whenever the page is opened.",
      z.string().check(z.regex(/^[\w-]{16,64}$/, "must have 16 to 64 letters, digits, - and _")),
      "6f9b2c1e-5d0a-4c3b",
    ),
    first: about("How many records of this page come before.", z.int().check(z.minimum(0)), 0),
    records: about("The next ones.", records, [{ type: "start", at: 0 }]),
  }),
  responses: {
    200: z.strictObject({
      received: about("How many of this page it has.", z.int(), 1),
      bytes_left: about("How much it still takes.", z.int(), 2_097_064),
    }),
  },
  errors: ["origin_not_allowed", "profile_conflict", "profile_full"],
});

export const listProfiles = defineRoute({
  method: "GET",
  path: "/projects/:slug/profiles",
  summary: "Profiles of a project, the newest first",
  tag: "Profiles",
  option: "profiles",
  ...byPeople,
  scope: "publish",
  params: slugParams,
  query: pageQuery,
  responses: {
    200: z.strictObject({ profiles: about("Without records.", z.array(profile)), next_cursor: nextCursor }),
  },
  errors: ["invalid_cursor"],
});

export const getProfile = defineRoute({
  method: "GET",
  path: "/projects/:slug/profiles/:id",
  summary: "A profile with its records",
  tag: "Profiles",
  option: "profiles",
  ...byPeople,
  scope: "publish",
  params: profileParams,
  responses: {
    200: z.strictObject({
      profile: about("The profile.", profile),
      records: about(
        "In the order in which they came; docs/profiles.md has their fields.",
        z.array(z.looseObject({})),
        [{ type: "start", at: 0 }],
      ),
    }),
  },
  errors: ["profile_not_found"],
});

/** Record of the profile in the export of its project's owner. */
const profileRecord = z.strictObject({
  kind: about("What the record is.", z.literal("profile")),
  project: about("The slug of its project.", z.string(), "star-hopper"),
  profile: about(
    "A profile in a project that the account owns; `GET /projects/:slug/profiles/:id` has its records.",
    profile,
  ),
});

declare module "../../../contract/api/routes.ts" {
  interface OptionRoutes {
    readonly createTelemetryGrant: typeof createTelemetryGrant;
    readonly endTelemetryGrant: typeof endTelemetryGrant;
    readonly sendTelemetry: typeof sendTelemetry;
    readonly listProfiles: typeof listProfiles;
    readonly getProfile: typeof getProfile;
  }
}

declare module "../../../contract/api/accounts/account-export.ts" {
  interface OptionRecords {
    readonly profile: typeof profileRecord;
  }
}

export const profileContract = {
  routes: { createTelemetryGrant, endTelemetryGrant, sendTelemetry, listProfiles, getProfile },
  records: [profileRecord],
  schemas: { Profile: profile },
} as const satisfies ContractOption;
