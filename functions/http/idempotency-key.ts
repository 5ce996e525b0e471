import { createHash } from "node:crypto";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { idempotencyKeyHeader } from "../../contract/api/headers.ts";
import { limits } from "../../contract/api/limits.ts";
import type { Route } from "../../contract/api/route.ts";
import { ServiceError } from "../domain/service-error.ts";
import type { SentIdempotencyKey } from "../entities/idempotent-creation.ts";
import { bodyBytes } from "./request.ts";

/** A string of structured fields (RFC 9651, section 3.3.3), or the same without its quotes, as many clients send it. */
const form = /^("?)([\w.~:+/=-]+)\1$/;

/**
 * The idempotency key of a request, if its route takes one, with a fingerprint of the request: its route, path parameters and
 * body.
 *
 * @throws ServiceError `idempotency_key_invalid`, even if the header was sent twice
 */
export function readIdempotencyKey(route: Route, event: APIGatewayProxyEventV2): SentIdempotencyKey | undefined {
  const header = event.headers[idempotencyKeyHeader];
  if (route.idempotencyKey === undefined || header === undefined) return undefined;
  const value = form.exec(header.trim())?.[2];
  if (value === undefined || value.length > limits.idempotencyKeyLength)
    throw new ServiceError("idempotency_key_invalid");
  const target = JSON.stringify([route.path, event.pathParameters]);
  const fingerprint = createHash("sha256").update(target).update(bodyBytes(event)).digest("base64");
  return { value, fingerprint };
}
