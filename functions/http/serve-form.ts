import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import * as z from "zod/mini";
import { errors } from "../../contract/api/errors.ts";
import { limits } from "../../contract/api/limits.ts";
import { oauthClientId } from "../../contract/api/login/authorization-request.ts";
import type { oauthError } from "../../contract/api/login/oauth.ts";
import type { Route } from "../../contract/api/route.ts";
import { ServiceError } from "../domain/service-error.ts";
import { invalidPlaces } from "./invalid-places.ts";
import { type Handler, lambdaHandler, type RouteRequest } from "./lambda-handler.ts";
import { bodyBytes, type ParsedRequest, parseParameters } from "./request.ts";
import { problemResponse, type ResponseOf } from "./response.ts";

type FormRoute = Route & { readonly credential: "none"; readonly form: true; readonly body: z.ZodMiniObject };

/**
 * Makes the Lambda handler of a route to which OAuth clients post a form: form → handler → response, with the error responses
 * of RFC 6749.
 */
export function serveForm<R extends FormRoute>(
  route: R,
  run: (request: RouteRequest<NoInfer<R>>) => Promise<ResponseOf<NoInfer<R>>>,
): Handler {
  const respond: Parameters<typeof lambdaHandler<R>>[1] = async ({ event, receivedAt }) => {
    const { params, query } = parseParameters(route, event);
    const fields = formFields(route, event);
    if (!namesClient(event.headers, fields["client_id"])) throw new ServiceError("invalid_client");
    const body = parseForm(route, fields);
    const response = await run({ params, query, body, headers: event.headers, receivedAt });
    return { ...response, headers: { ...response.headers, ...notCached } };
  };
  return lambdaHandler(route, respond, oauthErrorOf);
}

/** Responses can contain a token (RFC 6749, section 5.1). */
const notCached = { "cache-control": "no-store", pragma: "no-cache" };

/**
 * The fields of a form that the route knows. Unknown fields are ignored, an empty value counts as none, and no known field may
 * come twice (RFC 6749, section 3.2), except `resource`, which clients may repeat (RFC 8707, section 2): several count as none.
 *
 * @throws ServiceError `payload_too_large`, before anything is parsed; `invalid_request`
 */
function formFields(route: FormRoute, event: APIGatewayProxyEventV2): Record<string, string | undefined> {
  const bytes = bodyBytes(event);
  if (bytes.byteLength > limits.formBytes)
    throw new ServiceError("payload_too_large", { detail: `The form is larger than ${limits.formBytes / 1024} KiB.` });
  if (!event.headers["content-type"]?.trim().match(/^application\/x-www-form-urlencoded\s*(;|$)/i))
    throw invalidRequest("Send the parameters as application/x-www-form-urlencoded.");
  const sent = new URLSearchParams(bytes.toString());
  const fields = Object.keys(route.body.shape).map((name) => [name, sent.getAll(name).filter(Boolean)] as const);
  const repeated = fields.find(([name, values]) => values.length > 1 && name !== "resource")?.[0];
  if (repeated !== undefined) throw invalidRequest(`The parameter ${repeated} is sent twice.`);
  return Object.fromEntries(
    fields.map(([name, [value, another]]) => [name, another === undefined ? value : undefined]),
  );
}

/** @throws ServiceError `invalid_request` */
function parseForm<R extends FormRoute>(route: R, fields: object): ParsedRequest<R>["body"] {
  const result = z.safeParse(route.body, fields);
  if (result.success) return result.data as ParsedRequest<R>["body"];
  const places = invalidPlaces(result.error.issues);
  throw invalidRequest(places.map(({ pointer, detail }) => `${pointer.slice(1)} ${detail}`).join("; "));
}

/**
 * Whether a form names the one client, which is public: many libraries send its id as HTTP Basic with an empty password (RFC 6749,
 * section 2.3.1). An id that is sent both ways must be the same.
 */
function namesClient({ authorization }: APIGatewayProxyEventV2["headers"], field: string | undefined): boolean {
  if (!authorization?.match(/^basic(\s|$)/i)) return field === oauthClientId;
  const encoded = /^basic +([\w+/=-]+) *$/i.exec(authorization)?.[1] ?? "";
  const user = /^([^:]*):$/.exec(Buffer.from(encoded, "base64").toString())?.[1] ?? "";
  const named = new URLSearchParams(`id=${user}`).get("id");
  return named === oauthClientId && (field ?? named) === named;
}

function invalidRequest(detail: string): ServiceError {
  return new ServiceError("invalid_request", { detail });
}

/** Errors of a token's creation, for which the client gets `invalid_grant` (RFC 6749, section 5.2). */
const grantErrors: ReadonlySet<string> = new Set([
  "account_required",
  "account_suspended",
  "developer_required",
  "project_limit_reached",
  "token_limit_reached",
  "too_many_creations",
  "validation_failed",
]);

/** The error response of OAuth; internal errors keep their status and headers. */
function oauthErrorOf(
  route: Route,
  error: ServiceError,
  event: APIGatewayProxyEventV2,
): APIGatewayProxyStructuredResultV2 {
  const problem = problemResponse(route, error, event);
  const isGrantError = grantErrors.has(error.code);
  const body: z.infer<typeof oauthError> = {
    error: isGrantError ? "invalid_grant" : error.code === "internal_error" ? "server_error" : error.code,
    // Only these characters are allowed (RFC 6749, section 5.2).
    error_description: error.detail.replace(/["\\]|[^ -~]/g, "'"),
    ...(error.needs && { needs: error.needs }),
  };
  return {
    ...problem,
    statusCode: isGrantError ? 400 : errors[error.code].status,
    headers: {
      ...problem.headers,
      ...notCached,
      "content-type": "application/json",
      ...(error.code === "invalid_client" && { "www-authenticate": 'Basic realm="svc"' }),
    },
    body: JSON.stringify(body),
  };
}
