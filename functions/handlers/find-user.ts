import * as contract from "../../contract/api/accounts/accounts.ts";
import { findUser } from "../domain/accounts/accounts.ts";
import { response } from "../http/response.ts";
import { serveOpen } from "../http/serve-open.ts";
import { userView } from "../http/views.ts";

export const handler = serveOpen(contract.findUser, async ({ query: { uid } }) =>
  response(200, userView(await findUser(uid))),
);
