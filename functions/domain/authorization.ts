import type { Route } from "../../contract/route.ts";
import { environment } from "../environment.ts";
import type { Caller } from "./authentication.ts";
import { assertChangeable, assertNotDeleted } from "./project-state.ts";
import { ServiceError } from "./service-error.ts";

/** What a route requires of its caller. */
export type Requirements = Pick<
  Route,
  "credential" | "account" | "suspended" | "role" | "recentSignIn" | "scope" | "project" | "method"
>;

/**
 * Refuses every caller that the route does not admit. Somebody else's project is not found, exactly as one that does not
 * exist.
 *
 * @throws ServiceError in this order: `session_required`, `token_required`, `account_required`, `account_suspended`,
 *   `developer_required`, `recent_sign_in_required`, `insufficient_scope`, `project_not_in_token`, `project_not_found`,
 *   `project_deleted`, `project_suspended`
 */
export function authorize(route: Requirements, caller: Caller, slug: string | undefined, now: Date): void {
  const { account, project } = caller;
  const token = caller.kind === "token" ? caller.token : undefined;
  if (route.credential === "idToken" && token !== undefined) throw new ServiceError("session_required");
  if (route.credential === "token" && token === undefined) throw new ServiceError("token_required");
  if (account === undefined) {
    if (route.account === "optional") return;
    throw new ServiceError("account_required");
  }
  if (account.suspension && route.suspended !== "allowed") throw new ServiceError("account_suspended");
  if (route.role === "dev" && account.role !== "dev") throw new ServiceError("developer_required");
  if (route.recentSignIn) assertRecentSignIn(caller, now);
  if (token !== undefined && route.scope !== undefined && !token.scopes.includes(route.scope))
    throw new ServiceError("insufficient_scope", {
      detail: `This needs the scope ${route.scope}; the personal access token has ${token.scopes.join(" and ")}. Create one that has it.`,
    });
  if (route.project !== "owner") return;
  if (token?.projects && !token.projects.includes(slug ?? "")) throw new ServiceError("project_not_in_token");
  if (project === undefined || project.ownerKey !== account.key) throw new ServiceError("project_not_found");
  if (route.method === "GET") assertNotDeleted(project);
  else assertChangeable(project);
}

/** A sign-in whose time the provider does not say is not recent. */
function assertRecentSignIn(caller: Caller, now: Date): void {
  const { idpSignInSeconds: signInSeconds } = environment;
  if (signInSeconds === undefined || caller.kind === "token") return;
  const { authTime } = caller.person;
  if (authTime === null || now.getTime() / 1_000 - authTime > signInSeconds)
    throw new ServiceError("recent_sign_in_required", { signInSeconds });
}
