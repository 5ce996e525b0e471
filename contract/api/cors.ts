import { headers, idempotencyKeyHeader } from "./headers.ts";
import { routes } from "./routes.ts";

/**
 * Rights of pages from other origins than the API's (Fetch standard, section 3.2). Pages of every origin may call: a request's
 * credential identifies the caller, never a cookie, so another site's page gains nothing. API Gateway has one rule for the
 * whole API and then drops the functions' own headers. A published page is sandboxed and loads its modules and data from the
 * origin `null`.
 */
export const cors = {
  allowOrigin: "*",
  allowMethods: [...new Set(Object.values(routes).map(({ method }) => method))],
  allowHeaders: [
    "authorization",
    "content-type",
    idempotencyKeyHeader,
    "if-match",
    "if-none-match",
    "if-unmodified-since",
  ],
  exposeHeaders: [...Object.values(headers), "date", "etag", "location", "retry-after", "www-authenticate"],
  maxAgeSeconds: 24 * 3_600,
};
