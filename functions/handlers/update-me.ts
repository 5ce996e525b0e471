import * as contract from "../../contract/api/accounts.ts";
import { camelKeys } from "../../contract/api/camel-keys.ts";
import { editProfile } from "../domain/accounts/accounts.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";
import { accountView } from "../http/views.ts";

export const handler = serve(contract.updateMe, async ({ caller: { account }, body }) =>
  response(200, accountView(await editProfile(account, camelKeys(body)))),
);
