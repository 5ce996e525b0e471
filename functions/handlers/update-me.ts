import * as contract from "../../contract/api/accounts/accounts.ts";
import { camelKeys } from "../../contract/api/camel-keys.ts";
import { editProfile } from "../domain/accounts/accounts.ts";
import { storageOf } from "../domain/projects/quota.ts";
import type { Account } from "../entities/account.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";
import { assertPreconditions, validatorsOf } from "../http/validators.ts";
import { accountView, meView } from "../http/views.ts";

export const handler = serve(contract.updateMe, async ({ caller, body, headers }) => {
  const validators = (account: Account) => validatorsOf(meView({ ...caller, account }, storageOf(caller.ledger)));
  assertPreconditions(headers, validators(caller.account));
  const account = await editProfile(caller.account, camelKeys(body));
  return { ...response(200, accountView(account)), headers: validators(account) };
});
