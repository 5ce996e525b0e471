import * as z from "zod/mini";
import { amount, suspension } from "../accounts/accounts.ts";
import { limits } from "../limits.ts";
import { manifestPath } from "../releases/manifest.ts";
import {
  about,
  defineRoute,
  type EditsOf,
  expectCurrent,
  line,
  nextCursor,
  pageQuery,
  pathParameter,
  text,
  time,
} from "../route.ts";
import { isReservedSlug, slugPattern } from "./slug.ts";

/** A project's name in URLs and host names, unique across the service. */
export const slug = z.string().check(
  z.regex(slugPattern, "must have 3 to 40 characters of a-z, 0-9 and -, with no - at its ends and no --"),
  z.refine((value) => !isReservedSlug(value), "is a reserved word"),
);

/** A game's or preview's own host, by the first label of its name. */
export const siteParams = z.strictObject({
  site: z.string().check(z.regex(/^[a-z0-9-]{3,62}$/, "must be a slug, or the label of a preview's host")),
});

/** Requirements of a route that shows something of a project: all of its people may call it, with any credential. A viewer may be no developer. */
export const byPeople = { credential: "any", project: "viewer" } as const;

/** The same with the CI jobs that a project trusts. */
export const byPeopleAndJobs = { ...byPeople, ciJobs: "allowed" } as const;

/** Requirements of a route that changes what a project publishes: all of its people but viewers may call it, with any credential. */
export const byPublishers = { credential: "any", role: "dev", project: "publisher" } as const;

/** The same with the CI jobs that a project trusts. */
export const byPublishersAndJobs = { ...byPublishers, ciJobs: "allowed" } as const;

/**
 * Requirements of a route that no token may call: an owner or admin who signed in recently decides who else may do something.
 */
export const byAdminsInPerson = { credential: "idToken", role: "dev", recentSignIn: true, project: "admin" } as const;

export const slugParams = z.strictObject({ slug: about("The project's slug.", pathParameter, "star-hopper") });

/** Options of a stage that a project can do without. The first letters differ: they are what the edge knows (edge/project/pointer.ts). */
const switchedOff = z.enum(["reports", "saves"]);

/** Fields that a project's owner edits: each of them is also in `projectEdits`, else this does not compile. */
const editableFields = {
  name: about("What people call it.", z.string(), "Star Hopper"),
  description: about("What its owner says about it.", z.nullable(z.string()), "Hop from star to star."),
  picture: about(
    "The path of the file that is its picture in each live release that has it; null: the one that the release names.",
    z.nullable(z.string()),
    null,
  ),
  pictures: about(
    "The paths of the files that its public page shows below its picture, of those that the live release has; null: those that are named as screenshots.",
    z.nullable(z.array(z.string())),
    null,
  ),
  how_to_play: about("How it is played, for its public page.", z.nullable(z.string()), "Arrow keys fly, space lands."),
  show_provenance: about(
    "Whether everybody may see which commit and run of a trusted publisher the live release comes from.",
    z.boolean(),
    true,
  ),
  refuse_tokens: about(
    "Whether no personal access token can change it: CI jobs that it trusts and people in the dashboard alone publish it.",
    z.boolean(),
    false,
  ),
  person_makes_live: about(
    "Whether only a person who has just signed in changes what players get: what tokens and CI jobs publish waits. Only a session changes it.",
    z.boolean(),
    false,
  ),
  switched_off: about(
    "What of the service the game does without: `reports`, by which browsers report its crashes; `saves`, the page by which players move saved games.",
    z.array(switchedOff),
    [],
  ),
};

/** Roles that a person can have in a project, from the one with all rights to the one with the fewest. */
export const projectRole = z.enum(["owner", "admin", "publisher", "viewer"]);

/** A release that goes live by itself. */
const scheduledRelease = z.strictObject({
  release: about("Its id.", z.string(), "00VbbL3M8vSKHg8rDkhym8"),
  at: about("When it goes live, or at most a minute later.", time),
});

export const project = z.strictObject({
  slug: about("Its name in URLs and host names.", z.string(), "star-hopper"),
  ...editableFields,
  role: about(
    "What the caller is in it: only in what the people of the project see, else null.",
    z.nullable(projectRole),
    "owner",
  ),
  created_at: about("When it was created.", time),
  updated_at: about("When its name, its description or its live release changed last.", time),
  current_release: about(
    "What visitors see; null if nothing is live.",
    z.nullable(
      z.strictObject({
        id: about("Its id.", z.string(), "00VbbL3M8vSKHg8rDkhym8"),
        published_at: about("When it went live.", time),
      }),
    ),
  ),
  schedule: about(
    "The release that goes live by itself at a time, for the people of the project alone; null: none.",
    z.nullable(scheduledRelease),
    null,
  ),
  play_url: about(
    "Where the live release is played; null if the service has no domain for games.",
    z.nullable(z.string()),
    "https://star-hopper.games.example/",
  ),
  picture_url: about(
    "A picture of the game, on its own host: a file of the live release. Null if nothing is live, none of its files is named as one or the project is suspended or deleted.",
    z.nullable(z.string()),
    "https://star-hopper.games.example/cover.png",
  ),
  report_url: about(
    "Where anybody reports the game to the operator; null if the stage names no place.",
    z.nullable(z.string()),
    "mailto:abuse@games.example?subject=star-hopper",
  ),
  deletion: about(
    "Only of a deleted project, which its owner alone sees.",
    z.nullable(
      z.strictObject({ at: about("When.", time), restorable_until: about("How long it can be restored.", time) }),
    ),
    null,
  ),
  suspension: about(
    "Only of a project that the operator has suspended, which its people alone see.",
    z.nullable(suspension),
    null,
  ),
  traffic_limited_until: about(
    "Until then players get a page, because the month's traffic is used up. It may be over.",
    z.nullable(time),
    null,
  ),
  provenance: about(
    "Where the live release comes from. Null if its owner does not show it, or no trusted publisher's job has published it.",
    z.nullable(
      z.strictObject({
        repository_url: about(
          "The page of the repository, as its name was then.",
          z.string(),
          "https://github.com/ada/star-hopper",
        ),
        commit: about("The commit.", z.string(), "4f2a9c01d7e85b36a0c4418f9d2b7e6350aa1c88"),
        run_url: about(
          "The page of the run.",
          z.string(),
          "https://github.com/ada/star-hopper/actions/runs/22259804324",
        ),
      }),
    ),
  ),
  storage: about(
    "What is stored of it and what its open releases may still upload, for its people alone. It can be too high until the next sweep, within a day.",
    z.nullable(amount),
  ),
});

export const edge = about(
  "At the games' hosts. updated: within seconds; waiting: svc retries, ask again; null: no such hosts.",
  z.nullable(z.enum(["updated", "waiting"])),
  "updated",
);

export const endedSchedule = about(
  "The release that goes live no more at the time for which it was scheduled, because of this; null: none.",
  z.nullable(scheduledRelease),
  null,
);

/** A project, after a request that changed what players get of it. */
export const changedProject = z.extend(project, { edge });

export const createProject = defineRoute({
  method: "POST",
  path: "/projects",
  summary: "Create a project",
  tag: "Projects",
  credential: "any",
  role: "dev",
  scope: "projects",
  idempotencyKey: true,
  body: z.strictObject({
    slug: about(
      "Its name in URLs and host names, which cannot be changed. A reserved word such as `www` is refused.",
      slug,
      "star-hopper",
    ),
    name: about("What people call it; the slug if it is left out.", z.optional(line(limits.nameLength)), "Star Hopper"),
    description: about(
      "What its owner says about it.",
      z.optional(z.nullable(text(limits.descriptionLength))),
      "Hop from star to star.",
    ),
  }),
  responses: { 201: project },
  errors: ["project_not_in_token", "project_limit_reached", "too_many_creations", "slug_taken"],
});

export const listProjects = defineRoute({
  method: "GET",
  otherMethods: ["POST"],
  path: "/projects",
  summary:
    "The projects that the caller owns or is a member of, by slug, or with `?state=deleted` the own ones that were deleted; a narrowed token sees the projects that it names",
  tag: "Projects",
  credential: "any",
  query: z.extend(pageQuery, {
    state: about("Which projects.", z._default(z.enum(["active", "deleted"]), "active")),
    slug: about("Only this project, in whichever state it is.", z.optional(pathParameter), "star-hopper"),
  }),
  responses: {
    200: z.strictObject({
      projects: about("A page of them.", z.array(project)),
      plays: about(
        `By slug in the last ${limits.recentPlaysDays} days (UTC), about; without projects that nobody played.`,
        z.record(z.string(), z.int()),
        { "star-hopper": 412 },
      ),
      previews: about(
        "How many previews each has, by slug; without projects that have none.",
        z.record(z.string(), z.int()),
        { "star-hopper": 2 },
      ),
      people: about("How many people each has, by slug.", z.record(z.string(), z.int()), { "star-hopper": 3 }),
      next_cursor: nextCursor,
    }),
    304: null,
  },
  errors: ["invalid_cursor", "project_not_in_token"],
});

export const getProject = defineRoute({
  method: "GET",
  otherMethods: ["PATCH", "DELETE"],
  path: "/projects/:slug",
  summary: "A project, as everybody may see it",
  tag: "Projects",
  credential: "none",
  params: slugParams,
  responses: { 200: project, 304: null },
  errors: ["project_not_found", "project_taken_down"],
});

const projectEdits = {
  name: about("What people call it.", z.optional(line(limits.nameLength)), "Star Hopper"),
  description: about(
    "What its owner says about it.",
    z.optional(z.nullable(text(limits.descriptionLength))),
    "Hop from star to star.",
  ),
  picture: about(
    "The path of its picture: an image of the live release of at most 2 MiB, or null for the one that the release names.",
    z.optional(z.nullable(manifestPath)),
    "cover.png",
  ),
  pictures: about(
    "The paths of its other pictures, in their order, as `picture`; null for those that are named as screenshots.",
    z.optional(
      z.nullable(
        z
          .array(manifestPath)
          .check(z.maxLength(limits.picturesPerProject, `must be at most ${limits.picturesPerProject} paths`)),
      ),
    ),
    ["screenshots/1.png"],
  ),
  how_to_play: about(
    "How it is played, for its public page.",
    z.optional(z.nullable(text(limits.descriptionLength))),
    "Arrow keys fly, space lands.",
  ),
  show_provenance: about(
    "Whether everybody may see the repository's name, commit and run of the live release.",
    z.optional(z.boolean()),
    true,
  ),
  refuse_tokens: about(
    "Whether every change of the project by a personal access token is refused. Only an ID token sets it.",
    z.optional(z.boolean()),
    false,
  ),
  person_makes_live: about(
    "Whether only a person who has just signed in changes what players get. Only such an ID token sets it, and while it is set only such a one edits the project.",
    z.optional(z.boolean()),
    false,
  ),
  switched_off: about(
    "All that the game does without, as above.",
    z.optional(
      z
        .array(switchedOff)
        .check(z.maxLength(switchedOff.options.length, `must be at most ${switchedOff.options.length} names`)),
    ),
    [],
  ),
} satisfies EditsOf<typeof editableFields>;

export const updateProject = defineRoute({
  method: "PATCH",
  path: "/projects/:slug",
  summary:
    "Edit a project's name and what its public page shows, whether everybody sees where its live release comes from, whether it refuses tokens, and whether a person makes live",
  tag: "Projects",
  credential: "any",
  role: "dev",
  scope: "projects",
  project: "admin",
  preconditions: true,
  personMakesLive: "session",
  params: slugParams,
  body: z.strictObject(projectEdits),
  responses: { 200: project },
  errors: ["session_required"],
});

export const deleteProject = defineRoute({
  method: "DELETE",
  path: "/projects/:slug",
  summary: `Delete a project: nobody can play it from then on. Its slug stays closed to others for ${limits.deletedSlugDays} days`,
  tag: "Projects",
  credential: "idToken",
  role: "dev",
  recentSignIn: true,
  project: "owner",
  personMakesLive: "session",
  params: slugParams,
  responses: { 200: changedProject },
});

export const restoreProject = defineRoute({
  method: "POST",
  path: "/projects/:slug/restore",
  summary: `Take back the deletion of a project, within ${limits.projectRestoreDays} days; what was live is live again`,
  tag: "Projects",
  credential: "idToken",
  role: "dev",
  project: "owner",
  deletedProject: "allowed",
  personMakesLive: "session",
  params: slugParams,
  responses: { 200: changedProject },
  errors: ["project_limit_reached"],
});

export const unpublishProject = defineRoute({
  method: "POST",
  path: "/projects/:slug/unpublish",
  summary: "Take a project offline: no release is live then; every release is kept and can be made live again",
  tag: "Projects",
  ...byPublishers,
  scope: "publish",
  personMakesLive: "session",
  params: slugParams,
  body: z.strictObject({ expect_current: expectCurrent }),
  bodyOptional: true,
  responses: { 200: changedProject },
  errors: ["current_release_changed"],
});
