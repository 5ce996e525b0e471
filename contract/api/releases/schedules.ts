import * as z from "zod/mini";
import { limits } from "../limits.ts";
import { byPublishers } from "../projects/projects.ts";
import { about, defineRoute, expectCurrent, time } from "../route.ts";
import { release } from "./release.ts";
import { releaseParams } from "./releases.ts";

export const scheduleRelease = defineRoute({
  method: "POST",
  otherMethods: ["DELETE"],
  path: "/projects/:slug/releases/:id/schedule",
  summary: "Let a release go live by itself at a time; a project has one such release at most",
  details: `It takes the place of the release that was scheduled before. At its time, or at most a minute later, the release goes live if whoever scheduled it could publish it then: the account or token still has the right, the release and its files are there, and a person makes live no more than before. Otherwise the schedule ends, and the owner and admins are told why. It also ends if another release goes live before, or the project is taken offline. No CI job schedules, because its token is over by then.`,
  tag: "Releases",
  ...byPublishers,
  scope: "publish",
  personMakesLive: "session",
  params: releaseParams,
  body: z.strictObject({
    at: about(`A whole minute in the next ${limits.maxScheduleDays} days, in UTC.`, time, "2026-12-01T17:00:00Z"),
    expect_current: expectCurrent,
    despite_changes: about(
      "Whether it goes live also if another new release does before; a roll-back or taking offline ends it all the same.",
      z.optional(z.boolean()),
      false,
    ),
  }),
  responses: { 200: release },
  errors: [
    ...(["release_not_found", "release_live", "release_incomplete", "copies_differ", "release_withdrawn"] as const),
    ...(["current_release_changed", "schedule_invalid"] as const),
  ],
});

export const cancelSchedule = defineRoute({
  method: "DELETE",
  path: "/projects/:slug/releases/:id/schedule",
  summary: "Cancel the schedule of a release; without one nothing happens",
  tag: "Releases",
  ...byPublishers,
  scope: "publish",
  personMakesLive: "session",
  params: releaseParams,
  responses: { 200: release },
  errors: ["release_not_found"],
});
