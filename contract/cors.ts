import { headers } from "./headers.ts";
import { routes } from "./routes.ts";

/**
 * What pages may do from other origins than the API's (Fetch standard, section 3.2). Pages of every origin may call: a
 * caller is known by the credential that it sends, never by a cookie, so a stranger's page gains nothing. API Gateway
 * knows one rule for the whole API and drops the functions' own headers where there is one, and a published page, which
 * is sandboxed, loads its modules and data from an origin of its own (`null`).
 */
export const cors = {
  allowOrigin: "*",
  allowMethods: [...new Set(Object.values(routes).map(({ method }) => method))],
  allowHeaders: ["authorization", "content-type"],
  exposeHeaders: [...Object.values(headers), "retry-after", "www-authenticate"],
  maxAgeSeconds: 24 * 3_600,
};
