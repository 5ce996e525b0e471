import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import * as z from "zod/mini";
import { errors } from "../../contract/errors.ts";
import type { oauthError } from "../../contract/oauth.ts";
import type { Route } from "../../contract/route.ts";
import { ServiceError } from "../domain/service-error.ts";
import { invalidPlaces } from "./invalid-places.ts";
import { type Parsed, parseParameters } from "./request.ts";
import { problemOf, type ResponseOf, resultOf } from "./response.ts";
import { type Handler, lambdaHandler, type Received } from "./shell.ts";

type FormRoute = Route & { readonly credential: "none"; readonly form: true };

/**
 * Makes the Lambda handler of a route to which OAuth clients post a form: form → handler → response, with the error responses
 * of RFC 6749.
 */
export function serveForm<R extends FormRoute>(
  route: R,
  run: (request: Received<NoInfer<R>>) => Promise<ResponseOf<NoInfer<R>>>,
): Handler {
  const respond: Parameters<typeof lambdaHandler>[1] = async ({ event, receivedAt }) => {
    const { params, query } = parseParameters(route, event);
    const body = parseForm(route, event);
    const response = await run({ params, query, body, headers: event.headers, receivedAt });
    const result = resultOf(route, response, event.requestContext.requestId);
    return { ...result, headers: { ...result.headers, "cache-control": "no-store" } };
  };
  return lambdaHandler(route, respond, oauthErrorOf);
}

/**
 * The fields of a form. Unknown fields are ignored, an empty value counts as none, and no field may come twice (RFC 6749,
 * section 3.2).
 *
 * @throws ServiceError `invalid_request`
 */
function parseForm<R extends FormRoute>(route: R, event: APIGatewayProxyEventV2): Parsed<R>["body"] {
  const type = event.headers["content-type"] ?? "";
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type.trim()))
    throw invalidRequest("Send the parameters as application/x-www-form-urlencoded.");
  const text = Buffer.from(event.body ?? "", event.isBase64Encoded ? "base64" : "utf8").toString();
  const pairs = [...new URLSearchParams(text)].filter(([, value]) => value !== "");
  const fields = Object.fromEntries(pairs);
  if (Object.keys(fields).length < pairs.length) throw invalidRequest("A parameter is sent twice.");
  const result = z.safeParse(route.body as z.core.$ZodType, fields, { reportInput: true });
  if (result.success) return result.data as Parsed<R>["body"];
  const places = invalidPlaces(result.error.issues);
  throw invalidRequest(places.map(({ pointer, detail }) => `${pointer.slice(1)} ${detail}`).join("; "));
}

function invalidRequest(detail: string): ServiceError {
  return new ServiceError("invalid_request", { detail });
}

/** Errors of a token's creation, for which the client gets `invalid_grant` (RFC 6749, section 5.2). */
const grantErrors: ReadonlySet<string> = new Set([
  "account_required",
  "account_suspended",
  "developer_required",
  "token_limit_reached",
  "validation_failed",
]);

/** The error response of OAuth; internal errors keep their status and headers. */
function oauthErrorOf(route: Route, error: ServiceError, requestId: string): APIGatewayProxyStructuredResultV2 {
  const problem = problemOf(route, error, requestId);
  const isGrantError = grantErrors.has(error.code);
  const body: z.infer<typeof oauthError> = {
    error: isGrantError ? "invalid_grant" : error.code === "internal_error" ? "server_error" : error.code,
    // Only these characters are allowed (RFC 6749, section 5.2).
    error_description: error.detail.replace(/["\\]|[^ -~]/g, "'"),
  };
  return {
    ...problem,
    statusCode: isGrantError ? 400 : errors[error.code].status,
    headers: { ...problem.headers, "content-type": "application/json" },
    body: JSON.stringify(body),
  };
}
