import { ServiceError } from "../../contract/errors.ts";
import type { Route } from "../../contract/route.ts";
import type { Caller } from "./authentication.ts";

/** What a route asks of its caller. */
export type Requirements = Pick<Route, "credential" | "account" | "role" | "scope" | "project">;

/**
 * Lets a caller through who may use the route, and nobody else (specification, What the service does, rules 1 and 2).
 * A project of somebody else is not found, exactly as one that does not exist.
 *
 * @throws ServiceError in this order: `session_required`, `account_required`, `developer_required`, `insufficient_scope`,
 *   `project_not_in_token`, `project_not_found`
 */
export function authorize(route: Requirements, { account, token, project }: Caller, slug: string | undefined): void {
  if (route.credential === "session" && token !== undefined) throw new ServiceError("session_required");
  if (account === undefined) {
    if (route.account === "optional") return;
    throw new ServiceError("account_required");
  }
  if (route.role === "dev" && account.role !== "dev") throw new ServiceError("developer_required");
  if (token !== undefined && route.scope !== undefined && !token.scopes.includes(route.scope))
    throw new ServiceError("insufficient_scope", {
      detail: `This needs the scope ${route.scope}; the personal access token has ${token.scopes.join(" and ")}. Create one that has it.`,
    });
  if (route.project !== "owner") return;
  if (token?.projects && !token.projects.includes(slug as string)) throw new ServiceError("project_not_in_token");
  if (project === undefined || project.ownerKey !== account.key) throw new ServiceError("project_not_found");
}
