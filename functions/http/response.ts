import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import type * as z from "zod/mini";
import { type ErrorCode, errors } from "../../contract/api/errors.ts";
import type { Problem } from "../../contract/api/problem.ts";
import type { Route } from "../../contract/api/route.ts";
import type { ServiceError } from "../domain/service-error.ts";

type Responses<R extends Route> = R["responses"];

/** Response that a handler returns: a status of its route, and the body that the contract has for that status. */
export type ResponseOf<R extends Route> = {
  [Status in keyof Responses<R> & number]: {
    readonly status: Status;
    readonly headers?: Readonly<Record<string, string>>;
  } & (Status extends 201 ? { readonly headers: { readonly location: string } } : unknown) &
    (Responses<R>[Status] extends z.core.$ZodType
      ? { readonly body: z.input<Responses<R>[Status]> | Buffer }
      : { readonly body: Buffer | undefined });
}[keyof Responses<R> & number];

/** Keeps the literal status, which TypeScript would widen to a number in a handler's return. */
export function response<Status extends number, const Body>(
  status: Status,
  body: Body,
): { status: Status; body: Body } {
  return { status, body };
}

/** The response to a request that created what is at this path (RFC 9110, section 15.3.2). */
export function created<const Body>(location: `/${string}`, body: Body) {
  return { status: 201 as const, headers: { location }, body };
}

type Result = APIGatewayProxyStructuredResultV2;

/** `Retry-After`, in seconds, of temporary errors. */
const retryAfterSeconds: Partial<Record<ErrorCode, number>> = {
  files_being_deleted: 10,
  identity_provider_unavailable: 5,
  temporarily_unavailable: 1,
  too_many_guesses: 600,
};

/** A handler's response in API Gateway's payload format 2.0. */
export function lambdaResult<R extends Route>(response: ResponseOf<R>): Result {
  const body: unknown = response.body;
  const isJson = body !== undefined && !Buffer.isBuffer(body);
  return {
    statusCode: response.status,
    headers: { ...(isJson && { "content-type": "application/json" }), ...response.headers },
    ...(isJson && { body: JSON.stringify(body) }),
    ...(Buffer.isBuffer(body) && { body: body.toString("base64"), isBase64Encoded: true }),
  };
}

/** An error as a problem response (RFC 9457). */
export function problemResponse(
  _route: Route,
  error: ServiceError,
  { requestContext: { requestId } }: APIGatewayProxyEventV2,
): Result {
  const { status, title } = errors[error.code];
  const problem: Problem = {
    type: `urn:svc:error:${error.code}`,
    title,
    status,
    detail: error.detail,
    code: error.code,
    request_id: requestId,
    ...(error.errors && { errors: [...error.errors] }),
  };
  const retryAfter = error.retryAfterSeconds ?? retryAfterSeconds[error.code];
  return {
    statusCode: status,
    headers: {
      "content-type": "application/problem+json",
      "cache-control": "no-store",
      ...(retryAfter && { "retry-after": String(retryAfter) }),
    },
    body: JSON.stringify(problem),
  };
}
