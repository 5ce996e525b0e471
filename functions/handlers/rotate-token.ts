import * as contract from "../../contract/api/tokens/tokens.ts";
import { rotateToken } from "../domain/tokens/tokens.ts";
import { created } from "../http/response.ts";
import { serve } from "../http/serve.ts";
import { replacementView } from "../http/views.ts";

export const handler = serve(
  contract.rotateToken,
  async ({ caller: { account }, idempotency, params, body, receivedAt }) => {
    const request = { overlapHours: body.overlap_hours, expiresInDays: body.expires_in_days };
    const replacement = await rotateToken(account, params.id, request, receivedAt, idempotency);
    return created(`/tokens/${replacement.token.id}`, replacementView(replacement, receivedAt));
  },
);
