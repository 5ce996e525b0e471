import { UserError } from "./errors.ts";
import { findAuthorizationServer } from "./sign-in/authorization-server.ts";

/**
 * A page of the API's dashboard.
 *
 * @param path as `/tokens`
 * @throws UserError if the API has no dashboard
 */
export async function dashboardUrl(api: URL, path: string): Promise<URL> {
  const server = await findAuthorizationServer(api);
  if (server !== undefined) return new URL(path, server.authorizationEndpoint);
  throw new UserError(`${api.origin} has no dashboard.`, {
    code: "no_dashboard",
    next: "Use the API itself: svc api --help",
  });
}
