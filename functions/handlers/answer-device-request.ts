import * as contract from "../../contract/api/login/oauth.ts";
import { answerDeviceRequest } from "../domain/login/device-requests.ts";
import { approvalOf } from "../http/oauth-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(
  contract.answerDeviceRequest,
  async ({ caller: { account }, idempotency, params, body, receivedAt }) => {
    const approval = body.decision === "approve" ? approvalOf(body) : null;
    await answerDeviceRequest(account, { userCode: params.user_code, approval }, receivedAt, idempotency);
    return response(204, undefined);
  },
);
