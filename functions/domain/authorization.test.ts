import { afterEach, expect, test } from "@jest/globals";
import type { Caller } from "./authentication.ts";
import { authorize, type Requirements } from "./authorization.ts";
import type { ServiceError } from "./service-error.ts";

const now = new Date("2026-01-01T00:00:00.000Z");
const at = (seconds: number) => new Date(now.getTime() + seconds * 1_000).toISOString();
const signedIn = (secondsAgo: number) => ({ person: { authTime: now.getTime() / 1_000 - secondsAgo } });
const suspension = { at: at(-1), reason: "x" };
const dev = { key: "me", role: "dev" };
const own = { ownerKey: "me" };
const member = (role: string) => ({ ownerKey: "other", members: { me: { role } } });
const invited = (invitation: object) => ({
  ownerKey: "other",
  invitations: { id: { expiresAt: at(1), ...invitation } },
});

/** The decision of a route with these requirements about such a caller. */
function verdict(requirements: Partial<Requirements>, caller: object, slug: string | undefined = "game"): string {
  const route: Requirements = { method: "POST", credential: "any", ...requirements };
  try {
    authorize(route, { account: dev, project: own, ...caller } as unknown as Caller, { slug, invitation: "id" }, now);
    return "admitted";
  } catch (error) {
    const { code, signInSeconds } = error as ServiceError;
    return signInSeconds === undefined ? code : `${code} ${signInSeconds}`;
  }
}

const session = { kind: "idToken", ...signedIn(0) };
const token = (changes: object = {}) => ({
  kind: "token",
  token: { scopes: ["publish"], projects: null, ...changes },
});

afterEach(() => {
  delete process.env["IDP_SIGN_IN_MINUTES"];
  delete process.env["IDP_ACR_VALUES"];
});

test.each<[string, Partial<Requirements>, object, string]>([
  ["a session if one is needed", { credential: "idToken" }, session, "admitted"],
  ["a token if a session is needed", { credential: "idToken" }, token(), "session_required"],
  ["a token if one is needed", { credential: "token" }, token(), "admitted"],
  ["a session if a token is needed", { credential: "token" }, session, "token_required"],
  ["a person without an account", {}, { ...session, account: undefined }, "account_required"],
  ["a person who needs none", { account: "optional", role: "dev" }, { ...session, account: undefined }, "admitted"],
  ["a suspended account", {}, { ...session, account: { ...dev, suspension } }, "account_suspended"],
  ["one if it may", { suspended: "allowed" }, { ...session, account: { ...dev, suspension } }, "admitted"],
  ["a user", { role: "dev" }, { ...session, account: { ...dev, role: "user" } }, "developer_required"],
  ["a user if that is enough", {}, { ...session, account: { ...dev, role: "user" } }, "admitted"],
  ["a developer", { role: "dev" }, session, "admitted"],
  ["a token with the scope", { scope: "publish" }, token(), "admitted"],
  ["a token with another scope", { scope: "projects" }, token(), "insufficient_scope"],
  ["a CI job's token if no project is named", {}, token({ job: {}, projects: ["game"] }), "project_not_in_token"],
  ["one of a route for CI jobs", { credential: "token", ciJobs: "allowed" }, token({ job: {} }), "admitted"],
  ["one of its project", { project: "owner", ciJobs: "allowed" }, token({ job: {}, projects: ["game"] }), "admitted"],
  ["one on any other route of it", { project: "owner" }, token({ job: {}, projects: ["game"] }), "insufficient_scope"],
  ["anybody if no project is named", {}, { ...session, project: undefined }, "admitted"],
  ["a session, which needs no scope", { scope: "projects" }, session, "admitted"],
  ["the project's owner", { project: "owner" }, session, "admitted"],
  ["a token for this project", { project: "owner" }, token({ projects: ["other", "game"] }), "admitted"],
  ["a token for another project", { project: "owner" }, token({ projects: ["other"] }), "project_not_in_token"],
  ["one for slugs alike", { project: "owner" }, token({ projects: ["gam", "games"] }), "project_not_in_token"],
  [
    "a publisher where one is needed",
    { project: "publisher" },
    { ...session, project: member("publisher") },
    "admitted",
  ],
  [
    "a publisher's token",
    { project: "publisher", scope: "publish" },
    { ...token(), project: member("publisher") },
    "admitted",
  ],
  [
    "a viewer if a publisher is needed",
    { project: "publisher" },
    { ...session, project: member("viewer") },
    "project_role_required",
  ],
  [
    "a viewer's token there",
    { project: "publisher", scope: "publish" },
    { ...token(), project: member("viewer") },
    "project_role_required",
  ],
  [
    "a viewer who is no developer, for a viewer",
    { project: "viewer" },
    { ...session, account: { ...dev, role: "user" }, project: member("viewer") },
    "admitted",
  ],
  ["a publisher for a viewer", { project: "viewer" }, { ...session, project: member("publisher") }, "admitted"],
  [
    "somebody else for a viewer",
    { project: "viewer" },
    { ...session, project: { ownerKey: "other" } },
    "project_not_found",
  ],
  [
    "a publisher where an admin is",
    { project: "admin" },
    { ...session, project: member("publisher") },
    "project_role_required",
  ],
  ["an admin there", { project: "admin" }, { ...session, project: member("admin") }, "admitted"],
  ["an admin for a publisher", { project: "publisher" }, { ...session, project: member("admin") }, "admitted"],
  [
    "an admin where the owner is needed",
    { project: "owner" },
    { ...session, project: member("admin") },
    "project_role_required",
  ],
  ["the owner for an admin", { project: "admin" }, session, "admitted"],
  ["somebody with a link", { project: "invited" }, { ...session, project: invited({}) }, "admitted"],
  ["whom it names", { project: "invited" }, { ...session, project: invited({ to: { key: "me" } }) }, "admitted"],
  ["another", { project: "invited" }, { ...session, project: invited({ to: { key: "x" } }) }, "invitation_not_found"],
  [
    "its admin",
    { project: "invited" },
    { ...session, project: { ...invited({ to: { key: "x" } }), ...own } },
    "admitted",
  ],
  [
    "anybody when it has expired",
    { project: "invited" },
    { ...session, project: invited({ expiresAt: at(0) }) },
    "invitation_not_found",
  ],
  ["anybody of no project there", { project: "invited" }, { ...session, project: undefined }, "invitation_not_found"],
  ["somebody else", { project: "owner" }, { ...session, project: { ownerKey: "other" } }, "project_not_found"],
  ["anybody, of no project", { project: "owner" }, { ...session, project: undefined }, "project_not_found"],
  [
    "its owner when it is deleted",
    { project: "owner" },
    { ...session, project: { ...own, deletedAt: at(-1) } },
    "project_deleted",
  ],
  [
    "the same if it may be",
    { project: "owner", deletedProject: "allowed" },
    { ...session, project: { ...own, deletedAt: at(-1) } },
    "admitted",
  ],
  [
    "its owner when it is suspended",
    { project: "owner" },
    { ...session, project: { ...own, suspension } },
    "project_suspended",
  ],
  [
    "the same who only reads",
    { project: "owner", method: "GET" },
    { ...session, project: { ...own, suspension } },
    "admitted",
  ],
  [
    "the same who takes something away from others",
    { project: "owner", suspended: "allowed" },
    { ...session, project: { ...own, suspension } },
    "admitted",
  ],
])("authorize() decides on %s", (_, requirements, caller, expected) => {
  expect(verdict(requirements, caller)).toBe(expected);
});

const old = "recent_sign_in_required";
const guarded = { ...own, personMakesLive: true };
const person = (secondsAgo: number | null, claims: object = {}) => ({
  kind: "idToken",
  person: { authTime: secondsAgo === null ? null : now.getTime() / 1_000 - secondsAgo, claims },
  project: guarded,
});
test.each<[Requirements["personMakesLive"], object, string, Record<string, string>]>([
  ["free", { ...token(), project: guarded }, "admitted", {}],
  [undefined, { ...token(), project: guarded }, "admitted", {}],
  ["session", { ...token(), project: guarded }, "person_required", {}],
  ["session", { ...token(), project: { ...own, personMakesLive: false } }, "admitted", {}],
  ["session", token(), "admitted", {}],
  ["waits", { ...token(), project: guarded }, "admitted", {}],
  ["session", person(900), "admitted", {}],
  ["session", person(901), `${old} 900`, {}],
  ["session", person(null), `${old} 900`, {}],
  ["waits", person(900), "admitted", {}],
  ["waits", person(901), `${old} 900`, {}],
  ["waits", person(null), `${old} 900`, {}],
  ["free", person(901), "admitted", {}],
  ["session", { ...person(901), project: own }, "admitted", {}],
  ["session", person(300), "admitted", { IDP_SIGN_IN_MINUTES: "5" }],
  ["session", person(301), `${old} 300`, { IDP_SIGN_IN_MINUTES: "5" }],
  ["session", person(901), `${old} 900`, { IDP_SIGN_IN_MINUTES: "60" }],
  ["waits", person(0), `${old} 900`, { IDP_ACR_VALUES: "phr,phrh" }],
  ["waits", person(0, { acr: "phrhh" }), `${old} 900`, { IDP_ACR_VALUES: "phr,phrh" }],
  ["waits", person(0, { acr: ["phr"] }), `${old} 900`, { IDP_ACR_VALUES: "phr,phrh" }],
  ["waits", person(0, { acr: "phrh" }), "admitted", { IDP_ACR_VALUES: "phr,phrh" }],
  ["waits", person(901, { acr: "phrh" }), `${old} 900`, { IDP_ACR_VALUES: "phr,phrh" }],
])("a route that says %s where a person makes live: %j is %s with %j", (personMakesLive, caller, expected, env) => {
  Object.assign(process.env, env);
  expect(verdict({ project: "owner", ...(personMakesLive && { personMakesLive }) }, caller)).toBe(expected);
});

test.each<[string | undefined, Requirements["recentSignIn"], object, string]>([
  [undefined, true, { ...session, ...signedIn(1e6) }, "admitted"],
  [undefined, "always", { ...session, ...signedIn(600) }, "admitted"],
  [undefined, "always", { ...session, ...signedIn(601) }, `${old} 600`],
  [undefined, "always", { ...session, person: { authTime: null } }, "admitted"],
  ["15", true, { ...session, ...signedIn(900) }, "admitted"],
  ["15", true, { ...session, ...signedIn(901) }, `${old} 900`],
  ["15", "always", { ...session, ...signedIn(900) }, "admitted"],
  ["15", "always", { ...session, ...signedIn(901) }, `${old} 900`],
  ["15", true, { ...session, person: { authTime: null } }, `${old} 900`],
  ["15", true, token(), "admitted"],
  ["15", undefined, { ...session, ...signedIn(901) }, "admitted"],
])("a stage's limit of %s minutes and a demand of %s: %j is %s", (minutes, recentSignIn, caller, expected) => {
  if (minutes !== undefined) process.env["IDP_SIGN_IN_MINUTES"] = minutes;
  expect(verdict(recentSignIn === undefined ? {} : { recentSignIn }, caller)).toBe(expected);
});
