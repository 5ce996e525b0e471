import * as z from "zod/mini";
import { type ErrorCode, errors } from "./errors.ts";
import { about } from "./route.ts";

/** The body of every response that is not a success (RFC 9457), `application/problem+json`. */
export const problem = z.strictObject({
  type: about("`urn:svc:error:` and the code.", z.string()),
  title: about("What the code means, always the same.", z.string()),
  status: about("The status of the response.", z.int()),
  detail: about("What happened and what to do next, for people.", z.string()),
  code: about("What programs match on.", z.enum(Object.keys(errors) as [ErrorCode, ...ErrorCode[]])),
  request_id: about("Names the request in the service's logs.", z.string()),
  errors: about(
    "The invalid places of the request.",
    z.optional(
      z.array(
        z.strictObject({
          pointer: about("A JSON Pointer (RFC 6901).", z.string()),
          detail: about("What is wrong there.", z.string()),
        }),
      ),
    ),
  ),
});

/**
 * The body of a response that API Gateway makes by itself, `application/json`. It has none of the service's headers. A stage with
 * a distribution before the API refuses an address that sends too many requests with what a problem has besides.
 */
export const gatewayError = z.object({
  message: about("What happened, in a few words.", z.string()),
  ...z.partial(z.pick(problem, { type: true, title: true, status: true, detail: true })).shape,
  code: about(
    "Of a refused network address; API Gateway itself sends none.",
    z.optional(z.literal("too_many_requests")),
  ),
});

export type Problem = z.infer<typeof problem>;
export type GatewayError = z.infer<typeof gatewayError>;
