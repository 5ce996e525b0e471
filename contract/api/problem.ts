import * as z from "zod/mini";
import { type ErrorCode, errors } from "./errors.ts";
import { about } from "./route.ts";

/** The body of every response that is not a success (RFC 9457), `application/problem+json`. */
export const problem = z.strictObject({
  type: about("`urn:svc:error:` and the code.", z.string(), "urn:svc:error:validation_failed"),
  title: about("What the code means, always the same.", z.string(), errors.validation_failed.title),
  status: about("The status of the response.", z.int(), errors.validation_failed.status),
  detail: about("What happened and what to do next, for people.", z.string(), errors.validation_failed.detail),
  code: about(
    "What programs match on.",
    z.enum(Object.keys(errors) as [ErrorCode, ...ErrorCode[]]),
    "validation_failed",
  ),
  request_id: about("Names the request in the service's logs.", z.string(), "0b6f2c1e-7d55-4a0e-9c3b-1f2a9c01d7e8"),
});

/** Codes of the problems that have the additional fields of {@link validationProblem}. */
export const validationCodes: readonly ErrorCode[] = ["invalid_parameters", "validation_failed"];

export const validationProblem = z.extend(problem, {
  errors: about(
    "The invalid places of the request.",
    z.optional(
      z.array(
        z.strictObject({
          pointer: about("A JSON Pointer (RFC 6901).", z.string(), "/name"),
          detail: about("What is wrong there.", z.string(), "must not be empty"),
        }),
      ),
    ),
  ),
});

/**
 * The body of a response that API Gateway makes by itself, `application/json`. It has none of the service's headers.
 */
export const gatewayError = z.looseObject({
  message: about("What happened, in a few words.", z.string()),
});

export type Problem = z.infer<typeof validationProblem>;
