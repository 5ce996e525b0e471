import { type ErrorCode, errors } from "../../../contract/api/errors.ts";
import { oauthError } from "../../../contract/api/login/oauth.ts";
import { problem, validationCodes, validationProblem } from "../../../contract/api/problem.ts";
import type { Route } from "../../../contract/api/route.ts";
import { errorCodes } from "../../../contract/api/route-errors.ts";
import { matchRoute } from "../../../local/gateway/routes.ts";
import { routes } from "../routes.ts";

export interface ReceivedResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON; undefined if the body is empty; text if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: the contract's schema is checked, and tests read what it has
  readonly body: any;
}

function routeOf(method: string, path: string): Route | undefined {
  const match = matchRoute(method, decodeURIComponent(path.split("?")[0] ?? ""));
  return match && routes[match.name];
}

/** Difference of a response from the contract of its route; undefined if there is none. */
export function complaintAbout(
  method: string,
  path: string,
  { status, headers, body }: ReceivedResponse,
): string | undefined {
  const route = routeOf(method, path);
  if (route === undefined) return complaintAboutGateway({ status, headers, body });
  if (method === "OPTIONS" && status === 204 && headers.has("allow")) return undefined;
  if (!headers.has("svc-version") || !headers.has("svc-request-id"))
    return "The version or the request's id is missing.";
  if (status >= 400)
    return complaintAboutProblem({ status, headers, body }, { ...route, isOther: route.method !== method });
  const created = headers.get("location") ?? "";
  if (status === 201 && routeOf("GET", created)?.method !== "GET")
    return "Location is not the path of what was created.";
  const schema = (route as Route).responses[status];
  if (schema === undefined) return "The contract has no such status for this route.";
  if (schema === null) return typeof body === "object" ? "The contract has no JSON body for this status." : undefined;
  if (headers.get("content-type") !== "application/json") return "The content type is not application/json.";
  return complaintOf(schema["~standard"].validate(body));
}

/** Complaint unless it is the response that API Gateway gives by itself if a request fits no route. */
function complaintAboutGateway({ status, headers, body }: ReceivedResponse): string | undefined {
  const isNotFound = status === 404 && headers.get("content-type") === "application/json";
  return isNotFound && body.message === "Not Found" ? undefined : "API Gateway has no such response.";
}

function complaintAboutProblem(
  { status, headers, body }: ReceivedResponse,
  route: Route & { isOther: boolean },
): string | undefined {
  if (route?.form) return complaintAboutOAuthError({ status, headers, body }, route);
  if (headers.get("content-type") !== "application/problem+json") return "The problem is not application/problem+json.";
  const parsed = (validationCodes.includes(body?.code) ? validationProblem : problem).safeParse(body);
  if (!parsed.success) return String(parsed.error.message);
  const expected = errors[parsed.data.code].status;
  if (parsed.data.status !== status || expected !== status) return `The code's status is ${expected}.`;
  const possible: readonly ErrorCode[] = route.isOther ? ["method_not_allowed"] : errorCodes(route);
  return possible.includes(parsed.data.code) ? undefined : "The contract has no such code for this route.";
}

/** RFC 6749, section 5.2. */
function complaintAboutOAuthError({ status, headers, body }: ReceivedResponse, route: Route): string | undefined {
  if (headers.get("content-type") !== "application/json") return "The content type is not application/json.";
  if (headers.get("cache-control") !== "no-store") return "The error may be cached.";
  const complaint = complaintOf(oauthError["~standard"].validate(body));
  if (complaint !== undefined) return complaint;
  const possible: readonly string[] = errorCodes(route);
  const isServers = body.error === "server_error" && status === 500;
  if (!isServers && !possible.includes(body.error)) return "The contract has no such error for this route.";
  return isServers || errors[body.error as ErrorCode].status === status ? undefined : "The status is not the error's.";
}

function complaintOf(result: unknown): string | undefined {
  const { issues } = result as { issues?: unknown };
  return issues === undefined ? undefined : JSON.stringify(issues, undefined, 2);
}
