import type { ErrorCode } from "../../../contract/api/errors.ts";
import type { Route } from "../../../contract/api/route.ts";
import { type RouteName, routes } from "../../support/routes.ts";

/** Every kind of caller, in the order of the table's columns. They all request things of `owner`. */
export const callers = [
  "anonymous",
  "malformed PAT",
  "malformed ID token",
  "stranger", // a valid ID token of somebody without an account
  "user",
  "other developer",
  "owner",
  "preview PAT", // of the owner, as the next five; each scope contains those before it
  "publish PAT",
  "projects PAT",
  "narrowed PAT", // all scopes, for another project of the owner's
  "expired PAT",
  "revoked PAT",
  "other developer's PAT", // all scopes
] as const;

/** Who has, or has had, to do with `owner`'s project: the columns follow from those of the other developer, and of the user. */
export const people = [
  "admin",
  "publisher",
  "viewer", // a developer
  "viewing user", // the same without a developer account
  "removed member",
  "invited stranger",
] as const;

export type CallerKind = (typeof callers)[number] | (typeof people)[number];

type OneForEach<Kinds extends readonly unknown[]> = { readonly [Index in keyof Kinds]: number };
type Row = OneForEach<typeof callers>;

/** The row that the contract's requirements imply, which contract/api/route-lists.test.ts has by hand, or that of an exception. */
export function rowOf(name: RouteName): Row {
  return exceptions[name] ?? requiredRow(routes[name]);
}

const roles = ["viewer", "publisher", "admin", "owner"];

/** The statuses for {@link people}: a route of theirs responds to them as to the owner. */
export function peopleRowOf(name: RouteName): OneForEach<typeof people> {
  const row = rowOf(name);
  const of = (caller: (typeof callers)[number]) => row[callers.indexOf(caller)] as number;
  const { project = "" } = routes[name] as Route;
  // These are tried with a project that has nobody else; the owner leaves another developer's.
  const isTriedAlone = ["deleteProject", "restoreProject", "removeMember"].includes(name);
  const needed = isTriedAlone ? -1 : roles.indexOf(project);
  const as = (role: string, stranger = of("other developer")) => {
    if (needed === -1) return stranger;
    return roles.indexOf(role) >= needed ? of("owner") : 403;
  };
  const others = of("other developer");
  return [as("admin"), as("publisher"), as("viewer"), as("viewer", of("user")), others, others];
}

/** The statuses that a route responds with by its credential, role, scope and project alone. */
function requiredRow({ credential, account, role, scope, project, responses, personMakesLive }: Route): Row {
  // If a route finds or creates, the request of test/support/service/operations.ts creates.
  // In these projects no person has to agree, for whom a release would wait (202).
  const statuses = Object.keys(responses).filter((status) => personMakesLive !== "waits" || status !== "202");
  const done = Number(statuses.findLast((status) => status.startsWith("2")) ?? statuses[0]);
  // The credential of the request, in place of the caller's.
  if (credential === "none" || credential === "grant")
    return [done, done, done, done, done, done, done, done, done, done, done, done, done, done];
  if (credential === "token") return [401, 401, 401, 403, 403, 403, 403, done, done, done, done, 401, 401, done];
  const tokens = credential === "idToken" ? 403 : done;
  const narrowed = project ? 403 : tokens;
  const others = project ? 404 : done;
  return [
    ...([401, 401, 401] as const),
    account === "optional" ? done : 403,
    role === "dev" ? 403 : others,
    others,
    done,
    scope === "projects" || scope === "publish" ? 403 : tokens,
    scope === "projects" ? 403 : tokens,
    tokens,
    narrowed,
    401,
    401,
    credential === "idToken" ? 403 : others,
  ];
}

/** The statuses of the routes that respond by more than their requirements: by whose thing it is, or what the caller opened. */
// biome-ignore format: a table is read by its columns
const exceptions: Partial<Record<RouteName, Row>> = {
  //              anon  badP  badI  strg  user  othr  ownr  prev  publ  proj  narw  expd  revk  othP
  createSession:  [401,  401,  401,  201,  200,  200,  200,  403,  403,  403,  403,  401,  401,  403],
  deleteMe:       [401,  401,  401,  403,  204,  204,  204,  403,  403,  403,  403,  401,  401,  403],
  revokeToken:    [401,  401,  401,  403,  403,  404,  204,  403,  403,  403,  403,  401,  401,  403],
  getToken:       [401,  401,  401,  403,  403,  404,  200,  403,  403,  403,  403,  401,  401,  403],
  rotateToken:    [401,  401,  401,  403,  403,  404,  201,  403,  403,  403,  403,  401,  401,  403],
  createProject:  [401,  401,  401,  403,  403,  201,  201,  403,  403,  201,  403,  401,  401,  201],
  deletePendingPublisher:
                  [401,  401,  401,  403,  403,  404,  204,  403,  403,  403,  403,  401,  401,  403],
  endPreview:     [401,  401,  401,  403,  403,  404,  200,  403,  200,  200,  403,  401,  401,  404],
  deletePreview:  [401,  401,  401,  403,  403,  404,  200,  403,  200,  200,  403,  401,  401,  404],
  createUploads:  [401,  401,  401,  403,  403,  404,  200,  404,  200,  200,  403,  401,  401,  404],
  unpackFiles:    [401,  401,  401,  403,  403,  404,  200,  404,  200,  200,  403,  401,  401,  404],
  continueUpload: [401,  401,  401,  403,  403,  404,  200,  404,  200,  200,  403,  401,  401,  404],
  openPreview:    [401,  401,  401,  403,  403,  404,  200,  404,  200,  200,  403,  401,  401,  404],
  getRelease:     [401,  401,  401,  403,  404,  404,  200,  404,  200,  200,  403,  401,  401,  404],
  compareRelease: [401,  401,  401,  403,  404,  404,  200,  404,  200,  200,  403,  401,  401,  404],
};

const notTheirs = [
  "token_not_found",
  "publisher_not_found",
  "project_not_found",
  "project_role_required",
  "invitation_not_found",
  "token_required",
] as const;

/** The only error codes with which each kind of caller is refused, on every route. */
export const refusals: Record<CallerKind, readonly ErrorCode[]> = {
  anonymous: ["credential_missing"],
  "malformed PAT": ["token_invalid"],
  "malformed ID token": ["id_token_invalid"],
  stranger: ["account_required", "token_required"],
  user: ["developer_required", "token_required", "invitation_not_found", "project_not_found"],
  "other developer": [
    "token_not_found",
    "publisher_not_found",
    "project_not_found",
    "invitation_not_found",
    "token_required",
  ],
  admin: notTheirs,
  publisher: notTheirs,
  viewer: notTheirs,
  "viewing user": [...notTheirs, "developer_required"],
  "removed member": notTheirs,
  "invited stranger": notTheirs,
  owner: ["token_required"],
  "preview PAT": ["session_required", "insufficient_scope", "preview_of_another", "release_not_found"],
  "publish PAT": ["session_required", "insufficient_scope"],
  "projects PAT": ["session_required"],
  "narrowed PAT": ["session_required", "project_not_in_token"],
  "expired PAT": ["token_expired"],
  "revoked PAT": ["token_revoked"],
  "other developer's PAT": ["session_required", "project_not_found"],
};
