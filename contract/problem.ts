import * as z from "zod/mini";
import { type ErrorCode, errors } from "./errors.ts";

/** The body of every response that is not a success (RFC 9457), `application/problem+json`. */
export const problem = z.strictObject({
  /** `urn:svc:error:` and the code. */
  type: z.string(),
  title: z.string(),
  status: z.int(),
  /** What happened and what to do next, for people. */
  detail: z.string(),
  /** What programs match on. */
  code: z.enum(Object.keys(errors) as [ErrorCode, ...ErrorCode[]]),
  /** Names the request in the service's logs. */
  request_id: z.string(),
  /** The invalid places of the request, each a JSON Pointer (RFC 6901) and what is wrong there. */
  errors: z.optional(z.array(z.strictObject({ pointer: z.string(), detail: z.string() }))),
});

export type Problem = z.infer<typeof problem>;
