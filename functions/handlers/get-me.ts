import { getMe } from "../../contract/accounts.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";
import { meView } from "../http/views.ts";

export const handler = serve(getMe, async ({ caller: { account, token } }) => response(200, meView(account, token)));
