import { limits } from "../../contract/limits.ts";
import * as contract from "../../contract/oauth.ts";
import { scopesOf } from "../domain/login/authorization-requests.ts";
import { dashboardOrigin } from "../domain/login/dashboard-origin.ts";
import { requestDevice } from "../domain/login/device-requests.ts";
import { response } from "../http/response.ts";
import { serveForm } from "../http/serve-form.ts";

export const handler = serveForm(contract.requestDeviceCode, async ({ body, receivedAt }) => {
  const page = dashboardOrigin() + contract.approvalPaths.device;
  const asked = { tokenName: body.token_name ?? null, scopes: scopesOf(body.scope) };
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
