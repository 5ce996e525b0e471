import * as contract from "../../contract/api/accounts/account-export.ts";
import { exportAccount } from "../domain/accounts/export.ts";
import type { StoredItems } from "../domain/projects/stored-items.ts";
import { exportView } from "../http/export-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = /* @__PURE__ */ exportMeWith([]);

/** The handler of a service whose options store this in projects. */
export function exportMeWith(stored: readonly StoredItems[]) {
  return serve(contract.exportMe, async ({ caller: { account }, query: { cursor }, receivedAt: now }) =>
    response(200, exportView(account, await exportAccount(account, { cursor, stored, now }), now)),
  );
}
