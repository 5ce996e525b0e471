import * as contract from "../../contract/api/accounts/accounts.ts";
import { signIn } from "../domain/accounts/accounts.ts";
import { created, response } from "../http/response.ts";
import { serve } from "../http/serve.ts";
import { accountView } from "../http/views.ts";

export const handler = serve(
  contract.createSession,
  async ({ caller: { person, account }, body: { role }, receivedAt }) => {
    const signedIn = await signIn({ person, account, role, now: receivedAt });
    const view = accountView(signedIn.account);
    return signedIn.created ? created("/me", view) : response(200, view);
  },
);
