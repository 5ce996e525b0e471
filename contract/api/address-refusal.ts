import { cors } from "./cors.ts";
import { errors } from "./errors.ts";
import type { GatewayError } from "./problem.ts";

/**
 * What an IP address gets that sends too many requests, on a stage with a distribution before the API. It is the same for every
 * route and has no request id, because AWS WAF sends it, which takes every header but Content-Type: that is application/json.
 */
export const addressRefusal = {
  status: errors.too_many_requests.status,
  headers: {
    "retry-after": "60",
    "cache-control": "no-store",
    "access-control-allow-origin": cors.allowOrigin,
    "access-control-expose-headers": cors.exposeHeaders.join(", "),
  },
  body: {
    message: errors.too_many_requests.title,
    type: "urn:svc:error:too_many_requests",
    code: "too_many_requests",
    ...errors.too_many_requests,
  } satisfies GatewayError,
};
