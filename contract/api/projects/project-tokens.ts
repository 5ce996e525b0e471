import * as z from "zod/mini";
import { publicProfile } from "../accounts/accounts.ts";
import { limits } from "../limits.ts";
import { about, defineRoute, nextCursor, pageQuery, pathParameter, time } from "../route.ts";
import { scope } from "../tokens/tokens.ts";
import { projectRole, slugParams } from "./projects.ts";

/** A token of one of the people, as the project's owner sees it: nothing of their other projects. */
const projectToken = z.strictObject({
  id: about("The token's id.", z.string(), "54W7V3bYSTCAkjKudrQ3c0"),
  name: about("What its account calls it.", z.string(), "CI"),
  hint: about("The last four characters of the raw token.", z.string(), "g9uq"),
  user: about("Whose it is.", publicProfile),
  role: about("What its account may do in the project; the token may do no more.", projectRole, "publisher"),
  scopes: about("What it may do.", z.array(scope)),
  all_projects: about("Whether it can act on all projects of its account.", z.boolean(), true),
  created_at: about("When it was created.", time),
  expires_at: about("When it expires.", time),
  last_used_at: about("When it was used last, to the hour, in any project; null for never.", z.nullable(time)),
  refused_at: about("Since when the project refuses it; null if it does not.", z.nullable(time), null),
});

/** The owner decides, in person, which tokens of the people the project takes. */
const byOwnerInPerson = { credential: "idToken", role: "dev", project: "owner" } as const;

export const listProjectTokens = defineRoute({
  method: "GET",
  path: "/projects/:slug/tokens",
  summary: "The active personal access tokens of its people that can act on a project, also those that it refuses",
  tag: "Members",
  ...byOwnerInPerson,
  params: slugParams,
  query: pageQuery,
  responses: {
    200: z.strictObject({
      tokens: about("A page of them, those that were used last first.", z.array(projectToken)),
      next_cursor: nextCursor,
    }),
  },
  errors: ["invalid_cursor"],
});

export const updateProjectToken = defineRoute({
  method: "PATCH",
  path: "/projects/:slug/tokens/:id",
  summary: "Refuse a token of one of its people in a project, or take it again: its next request has the new decision",
  details: `It counts for the tokens that replace this one too. At most ${limits.refusedTokensPerProject} tokens of a project are refused. Whose the token is can create another; remove the member to refuse the person.`,
  tag: "Members",
  ...byOwnerInPerson,
  recentSignIn: true,
  personMakesLive: "session",
  params: z.extend(slugParams, { id: about("The token's id.", pathParameter, "54W7V3bYSTCAkjKudrQ3c0") }),
  body: z.strictObject({ refused: about("Whether the project refuses it from now on.", z.boolean(), true) }),
  responses: { 200: projectToken },
  errors: ["token_not_found", "refused_token_limit_reached"],
});
