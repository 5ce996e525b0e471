import type { Route, Scope } from "../../contract/api/route.ts";
import { includesScope } from "../../contract/api/tokens/scopes.ts";
import type { Account } from "../entities/account.ts";
import type { Project } from "../entities/project.ts";
import type { Token } from "../entities/token.ts";
import type { Caller } from "./authentication.ts";
import {
  assertNotDeleted,
  assertNotRefused,
  assertNotSuspended,
  assertTakesToken,
  includesRole,
  invitationFor,
  roleIn,
} from "./projects/state.ts";
import { ServiceError } from "./service-error.ts";
import { assertJustSignedIn, assertRecentSignIn } from "./sign-in-age.ts";

/** Requirements of a route for its caller. */
export type Requirements = Pick<
  Route,
  | "credential"
  | "account"
  | "suspended"
  | "role"
  | "recentSignIn"
  | "personMakesLive"
  | "ciJobs"
  | "scope"
  | "project"
  | "deletedProject"
  | "method"
>;

/** Place that the path of a request names. */
interface Place {
  readonly slug?: string | undefined;
  readonly invitation?: string | undefined;
}

/**
 * Refuses every caller that the route does not admit. Somebody else's project is not found, exactly as one that does not
 * exist.
 *
 * @throws ServiceError in this order: `session_required`, `token_required`, `account_required`, `account_suspended`,
 *   `developer_required`, `recent_sign_in_required`, `insufficient_scope`, `project_not_in_token`, `project_not_found`,
 *   `invitation_not_found`, `token_refused`, `project_deleted`, `project_role_required`, `tokens_refused`, `project_suspended`, and if a
 *   person makes live in it `person_required`, `recent_sign_in_required`
 */
export function authorize(route: Requirements, caller: Caller, place: Place, now: Date): void {
  const { account } = caller;
  const token = caller.kind === "token" ? caller.token : undefined;
  if (route.credential === "idToken" && token !== undefined) throw new ServiceError("session_required");
  if (route.credential === "token" && token === undefined) throw new ServiceError("token_required");
  if (account === undefined) {
    if (route.account === "optional") return;
    throw new ServiceError("account_required");
  }
  authorizeAccount(route, account);
  if (route.recentSignIn && caller.kind === "idToken") assertRecentSignIn(caller.person, route.recentSignIn, now);
  if (token !== undefined && route.scope !== undefined) assertScope(token, route.scope);
  if (token?.job && route.ciJobs !== "allowed") throw notForJobs(route, token);
  if (route.project !== undefined) authorizeProject(route, caller, place, now);
}

/**
 * Refuses a token that may do less than a scope says.
 *
 * @throws ServiceError `insufficient_scope`
 */
function assertScope({ scopes, job }: Token, needed: Scope): void {
  if (includesScope(scopes, needed)) return;
  const next =
    job === undefined ? "Create one that has it." : "The publisher that the CI job matches says what its jobs may do.";
  throw new ServiceError("insufficient_scope", {
    detail: `This needs the scope ${needed}; the personal access token has ${scopes.join(" and ")}. ${next}`,
  });
}

/** A CI job's token tells nothing of the account, and nothing of its other projects; what it has published only a person takes away. */
function notForJobs({ project }: Requirements, { projects }: Token): ServiceError {
  const detail = `A CI job got this token to publish the project ${projects?.[0]}, and it can do nothing else.`;
  return new ServiceError(project === undefined ? "project_not_in_token" : "insufficient_scope", { detail });
}

/**
 * Refuses an account that a route, or a grant, does not admit.
 *
 * @throws ServiceError `account_suspended`, `developer_required`
 */
export function authorizeAccount(
  { suspended, role }: Pick<Requirements, "suspended" | "role">,
  account: Account,
): void {
  if (account.suspension && suspended !== "allowed") throw new ServiceError("account_suspended");
  if (role === "dev" && account.role !== "dev") throw new ServiceError("developer_required");
}

/** The caller has an account here. */
function authorizeProject(route: Requirements, caller: Caller, place: Place, now: Date): void {
  const { account, project } = caller;
  const narrowed = caller.kind === "token" ? caller.token.projects : null;
  if (narrowed && !narrowed.includes(place.slug ?? "")) throw new ServiceError("project_not_in_token");
  if (project === undefined || account === undefined || !isAdmitted(route, project, account, place, now))
    throw new ServiceError(notFound[route.project ?? "owner"]);
  if (caller.kind === "token") assertNotRefused(project, caller.token);
  if (route.deletedProject !== "allowed") assertNotDeleted(project);
  assertRole(route, project, account);
  if (route.method !== "GET" && caller.kind === "token") assertTakesToken(project, caller.token);
  if (route.method !== "GET" && route.suspended !== "allowed") assertNotSuspended(project);
  assertPerson(route, caller, project, now);
}

/**
 * Refuses whoever is not a person who has just signed in, if the route changes what players get and the project demands one.
 *
 * @throws ServiceError `person_required`, `recent_sign_in_required`
 */
function assertPerson({ personMakesLive: demand }: Requirements, caller: Caller, project: Project, now: Date): void {
  if (!project.personMakesLive || demand === undefined || demand === "free") return;
  if (caller.kind === "idToken") assertJustSignedIn(caller.person, now);
  else if (demand === "session") throw new ServiceError("person_required");
}

const notFound = {
  owner: "project_not_found",
  admin: "project_not_found",
  publisher: "project_not_found",
  viewer: "project_not_found",
  invited: "invitation_not_found",
} as const;

/** Whether there is anything for an account at this place. */
function isAdmitted({ project: needed }: Requirements, project: Project, account: Account, place: Place, now: Date) {
  if (needed === "invited") return invitationFor(project, account, place.invitation, now) !== undefined;
  return roleIn(project, account.key) !== undefined;
}

/** @throws ServiceError `project_role_required` */
function assertRole({ project: needed }: Requirements, project: Project, { key }: Account): void {
  if (needed === undefined || needed === "invited") return;
  const role = roleIn(project, key);
  if (includesRole(role, needed)) return;
  const detail = `This needs the role ${needed} in the project ${project.slug}; yours is ${role}.`;
  throw new ServiceError("project_role_required", { detail });
}
