import * as z from "zod/mini";
import { publicProfile } from "../accounts/accounts.ts";
import { limits } from "../limits.ts";
import { about, defineRoute, line, listOf, pathParameter, time, unique } from "../route.ts";
import { jobEvents, jobScopes, usualEvents } from "./ci-jobs.ts";
import { byAdminsInPerson, byPublishers, projectRole, slug, slugParams } from "./projects.ts";

/*
 * Trusted publishers: whose CI jobs may publish a project with their identity alone (docs/decisions/0053-trusted-publishers.md).
 */

const numericId = z.string().check(z.regex(/^[1-9]\d{0,19}$/, "must be a number in digits"));

const issuer = about(
  "The `iss` of the jobs' identity tokens, if it is a self-hosted one that the stage knows; the provider's public one if it is left out.",
  z.optional(z.string().check(z.maxLength(limits.urlLength))),
);

const may = about(
  "What the jobs may do: `preview` (upload and show previews, end their own; for pull requests) or `publish` (make releases live too).",
  z._default(z.enum(jobScopes), "publish"),
);

const environment = about(
  "The environment that the job must use; any or none if this is null or left out. Its own rules, such as branches and reviewers, hold then.",
  z.optional(z.nullable(line(limits.claimLength))),
  "production",
);

const refProtected = about(
  "Whether the branch or tag must be a protected one. If it is left out: yes, unless an environment is named or the jobs may only open previews.",
  z.optional(z.boolean()),
);

const onlyLatestRun = about(
  "Whether a job can never take the place of a later run's release, not even if it asks for that (`replace_later_run`).",
  z._default(z.boolean(), false),
);

/** Only shown: it may be renamed and registered again by somebody else. */
const displayName = about(
  "What people call the repository: `owner/name`. Shown only, never compared.",
  z.optional(z.nullable(line(limits.claimLength))),
  "ada/star-hopper",
);

const github = z.strictObject({
  provider: about("GitHub Actions.", z.literal("github")),
  issuer,
  may,
  repository_id: about(
    "The repository's number (`GITHUB_REPOSITORY_ID`), which no other one ever gets.",
    numericId,
    "512345678",
  ),
  repository_owner_id: about("Its owner's number (`GITHUB_REPOSITORY_OWNER_ID`).", numericId, "1234567"),
  workflow: about(
    "The path of the workflow file that the job is written in.",
    z
      .string()
      .check(
        z.maxLength(limits.claimLength, `must have at most ${limits.claimLength} characters`),
        z.regex(/^\.github\/workflows\/[^/@\s]+\.ya?ml$/, "must be a path such as .github/workflows/publish.yml"),
      ),
    ".github/workflows/publish.yml",
  ),
  environment,
  events: about(
    "What may start the workflow. `pull_request`: whoever can push a branch can do what the jobs may.",
    z._default(listOf(z.enum(jobEvents), jobEvents.length, "event").check(...unique("an event")), [...usualEvents]),
  ),
  ref_protected: refProtected,
  only_latest_run: onlyLatestRun,
  repository: displayName,
});

const gitlab = z.strictObject({
  provider: about("GitLab CI.", z.literal("gitlab")),
  issuer,
  may,
  project_id: about("The project's number (`CI_PROJECT_ID`), which no other one ever gets.", numericId, "278964"),
  namespace_id: about("The number of its group or user (`CI_PROJECT_NAMESPACE_ID`).", numericId, "9970"),
  ci_config_path: about(
    "The path of the pipeline's file in that project.",
    z._default(
      z
        .string()
        .check(
          z.maxLength(limits.claimLength, `must have at most ${limits.claimLength} characters`),
          z.regex(/^(?!\/)(?!.*\/\/)[^@\s]+\.ya?ml$/, "must be a path such as .gitlab-ci.yml"),
        ),
      ".gitlab-ci.yml",
    ),
    ".gitlab-ci.yml",
  ),
  environment,
  ref_protected: refProtected,
  only_latest_run: onlyLatestRun,
  repository: displayName,
});

/** Jobs that are trusted, as a person describes them. */
export const trustedJobs = z.discriminatedUnion("provider", [github, gitlab]);

const described = {
  may: about("What the jobs may do: `preview` or `publish`.", z.enum(jobScopes)),
  issuer: about("The `iss` of the jobs' identity tokens.", z.string(), "https://token.actions.githubusercontent.com"),
  environment: about("The environment that the job must use; null: any or none.", z.nullable(z.string()), "production"),
  ref_protected: about("Whether the branch or tag must be a protected one.", z.boolean()),
  only_latest_run: about("Whether a job can never take the place of a later run's release.", z.boolean(), false),
  repository: about(
    "What people call the repository. Shown only, never compared.",
    z.nullable(z.string()),
    "ada/star-hopper",
  ),
};

const stored = {
  id: about("The publisher's id.", z.string(), "00VbbMCZ9xVv0PpQj3rD2s"),
  created_at: about("When it was added.", time),
  added_by: about(
    "Who added it; null if the account is deleted.",
    z.nullable(
      z.extend(publicProfile, {
        role: about(
          "What this person is in the project now; null: nothing any more.",
          z.nullable(projectRole),
          "admin",
        ),
      }),
    ),
  ),
};

export const publisher = z.discriminatedUnion("provider", [
  z.strictObject({
    ...stored,
    provider: about("GitHub Actions.", z.literal("github")),
    ...described,
    repository_id: about("The repository's number.", z.string(), "512345678"),
    repository_owner_id: about("Its owner's number.", z.string(), "1234567"),
    workflow: about("The path of the workflow file.", z.string(), ".github/workflows/publish.yml"),
    events: about("What may start the workflow.", z.array(z.enum(jobEvents)), [...usualEvents]),
  }),
  z.strictObject({
    ...stored,
    provider: about("GitLab CI.", z.literal("gitlab")),
    ...described,
    issuer: about("The `iss` of the jobs' identity tokens.", z.string(), "https://gitlab.com"),
    project_id: about("The project's number.", z.string(), "278964"),
    namespace_id: about("The number of its group or user.", z.string(), "9970"),
    ci_config_path: about("The path of the pipeline's file.", z.string(), ".gitlab-ci.yml"),
  }),
]);

export const createPublisher = defineRoute({
  method: "POST",
  path: "/projects/:slug/publishers",
  summary: "Add CI jobs that may publish the project with their identity; jobs that are trusted already stay so",
  tag: "Publishers",
  ...byAdminsInPerson,
  personMakesLive: "free",
  params: slugParams,
  body: trustedJobs,
  responses: { 200: publisher },
  errors: ["publisher_limit_reached"],
});

export const listPublishers = defineRoute({
  method: "GET",
  otherMethods: ["POST"],
  path: "/projects/:slug/publishers",
  summary: `The CI jobs that may publish a project, at most ${limits.publishersPerProject}, in the order in which they were added`,
  tag: "Publishers",
  ...byPublishers,
  scope: "projects",
  params: slugParams,
  responses: { 200: z.strictObject({ publishers: about("All of them.", z.array(publisher)) }) },
});

export const deletePublisher = defineRoute({
  method: "DELETE",
  path: "/projects/:slug/publishers/:id",
  summary: "Trust these CI jobs no more: the next request with a token that one of them got is refused",
  tag: "Publishers",
  credential: "idToken",
  suspended: "allowed",
  role: "dev",
  project: "admin",
  personMakesLive: "free",
  params: z.extend(slugParams, { id: about("The publisher's id.", pathParameter, "00VbbMCZ9xVv0PpQj3rD2s") }),
  responses: { 204: null },
  errors: ["publisher_not_found"],
});

export const pendingPublisher = z.strictObject({
  project: about("The slug of the project, which does not exist yet.", z.string(), "star-hopper"),
  expires_at: about("When it expires.", time),
  publisher: about("Which jobs create the project by their first publication.", publisher),
});

export const createPendingPublisher = defineRoute({
  method: "POST",
  path: "/publishers",
  summary: `Trust CI jobs to create a project by their first publication, within ${limits.pendingPublisherDays} days; the slug is kept for nobody`,
  tag: "Publishers",
  credential: "idToken",
  role: "dev",
  recentSignIn: true,
  body: z.strictObject({
    project: about("The slug of the project, which does not exist yet.", slug, "star-hopper"),
    publisher: about(
      "Which jobs. Another pending publisher of the caller for the same project is replaced; the same one stays as it is.",
      trustedJobs,
    ),
  }),
  responses: { 200: pendingPublisher },
  errors: ["publisher_limit_reached", "slug_taken"],
});

export const listPendingPublishers = defineRoute({
  method: "GET",
  otherMethods: ["POST"],
  path: "/publishers",
  summary: "The caller's publishers of projects that do not exist yet, by slug",
  tag: "Publishers",
  credential: "any",
  role: "dev",
  scope: "projects",
  responses: { 200: z.strictObject({ publishers: about("All of them.", z.array(pendingPublisher)) }) },
});

export const deletePendingPublisher = defineRoute({
  method: "DELETE",
  path: "/publishers/:slug",
  summary: "Trust CI jobs no more to create this project",
  tag: "Publishers",
  credential: "idToken",
  suspended: "allowed",
  role: "dev",
  params: slugParams,
  responses: { 204: null },
  errors: ["publisher_not_found"],
});
