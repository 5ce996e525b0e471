import { limits } from "../../contract/api/limits.ts";
import * as contract from "../../contract/api/login/oauth.ts";
import { slugOfResource } from "../../contract/api/login/project-resource.ts";
import { scopesOf } from "../../contract/api/tokens/scopes.ts";
import { dashboardOrigin } from "../domain/login/dashboard-origin.ts";
import { requestDevice } from "../domain/login/device-requests.ts";
import { ServiceError } from "../domain/service-error.ts";
import { apiOriginOf } from "../http/api-origin.ts";
import { response } from "../http/response.ts";
import { serveForm } from "../http/serve-form.ts";

export const handler = serveForm(contract.requestDeviceCode, async ({ body, headers, receivedAt }) => {
  const page = dashboardOrigin() + contract.approvalPaths.device;
  const scopes = scopesOf(body.scope);
  if (scopes === undefined) throw new ServiceError("invalid_scope");
  const project = slugOfResource(body.resource ?? "", apiOriginOf(headers));
  const asked = { tokenName: body.token_name ?? null, scopes, project };
  const { deviceCode, userCode } = await requestDevice(asked, receivedAt);
  return response(200, {
    device_code: deviceCode,
    user_code: userCode,
    verification_uri: page,
    verification_uri_complete: `${page}?user_code=${userCode}`,
    expires_in: limits.deviceCodeLifetimeSeconds,
    interval: limits.devicePollIntervalSeconds,
  });
});
