import * as contract from "../../contract/api/accounts/account-export.ts";
import { exportAccount } from "../domain/accounts/export.ts";
import { exportView } from "../http/export-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.exportMe, async ({ caller: { account }, query, receivedAt }) =>
  response(200, exportView(account, await exportAccount(account, query.cursor, receivedAt), receivedAt)),
);
