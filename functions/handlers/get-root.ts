import { availability } from "../../contract/api/availability.ts";
import { qualitiesOf } from "../../contract/api/qualities.ts";
import * as contract from "../../contract/api/service.ts";
import { apiVersion, serviceVersion } from "../../contract/api/version.ts";
import { findDashboardOrigin } from "../domain/login/dashboard-origin.ts";
import { response } from "../http/response.ts";
import { serveOpen } from "../http/serve-open.ts";

export const handler = serveOpen(contract.getRoot, async ({ headers }) => {
  const origin = findDashboardOrigin();
  const dashboard = origin === undefined ? null : `${origin}/`;
  if (dashboard !== null && prefersHtml(headers["accept"]))
    return { ...response(302, undefined), headers: { location: dashboard, vary: "Accept" } };
  const body = {
    name: "svc",
    version: apiVersion,
    service_version: serviceVersion,
    availability,
    openapi: contract.getOpenApi.path,
    dashboard,
  } as const;
  return { ...response(200, body), headers: { vary: "Accept" } };
});

/** Whether a client prefers HTML to JSON, as browsers do (RFC 9110, section 12.5.1). One that accepts anything does not. */
function prefersHtml(accept = ""): boolean {
  const qualities = qualitiesOf(accept);
  const qualityOf = (type: string, range: string) => qualities[type] ?? qualities[range] ?? qualities["*/*"] ?? 0;
  return qualityOf("text/html", "text/*") > qualityOf("application/json", "application/*");
}
