import * as contract from "../../contract/api/login/oauth.ts";
import { findDeviceRequest } from "../domain/login/device-requests.ts";
import { deviceRequestView } from "../http/oauth-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.getDeviceRequest, async ({ caller: { account }, params, receivedAt }) =>
  response(200, deviceRequestView(await findDeviceRequest(account, params.user_code, receivedAt))),
);
