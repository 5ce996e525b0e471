import * as contract from "../../contract/api/accounts.ts";
import { editProfile } from "../domain/accounts/accounts.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";
import { accountView, profileChanges } from "../http/views.ts";

export const handler = serve(contract.updateMe, async ({ caller: { account }, body }) =>
  response(200, accountView(await editProfile(account, profileChanges(body)))),
);
