import { errors } from "../../contract/api/errors.ts";
import { getProtectedResource } from "../../contract/api/login/oauth-metadata.ts";
import type { Route } from "../../contract/api/route.ts";
import type { ServiceError } from "../domain/service-error.ts";
import { apiOriginOf } from "./api-origin.ts";
import { problemResponse } from "./response.ts";

/**
 * An error as a problem response. 401 and 403 say how to authenticate (RFC 6750, section 3) and where the metadata of the API
 * are (RFC 9728, section 5.1).
 */
export const problemWithChallenge: typeof problemResponse = (route, error, event) => {
  const problem = problemResponse(route, error, event);
  const challenge = challengeFor(route, error, event.headers["authorization"]);
  if (challenge === undefined) return problem;
  const metadata = apiOriginOf(event.headers) + getProtectedResource.path;
  const parameters = ['realm="svc"', ...challenge, `resource_metadata="${metadata}"`];
  return { ...problem, headers: { ...problem.headers, "www-authenticate": `Bearer ${parameters.join(", ")}` } };
};

/** The parameters of the challenge. A request of another scheme gets no error to name (RFC 6750, section 3.1). */
function challengeFor(
  route: Route,
  { code, signInSeconds, acrValues = [] }: ServiceError,
  header?: string,
): string[] | undefined {
  if (code === "credential_missing") return [];
  if (code === "credential_malformed") return header?.match(/^bearer\b/i) ? ['error="invalid_request"'] : [];
  if (code === "insufficient_scope") return ['error="insufficient_scope"', `scope="${route.scope}"`];
  // RFC 9470, section 3
  if (code === "recent_sign_in_required")
    return [
      'error="insufficient_user_authentication"',
      `max_age="${signInSeconds}"`,
      ...(acrValues.length > 0 ? [`acr_values="${acrValues.join(" ")}"`] : []),
    ];
  return errors[code].status === 401 ? ['error="invalid_token"'] : undefined;
}
