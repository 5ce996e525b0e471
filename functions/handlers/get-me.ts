import { getMe } from "../../contract/accounts.ts";
import { answer } from "../http/answer.ts";
import { serve } from "../http/serve.ts";
import { meView } from "../http/views.ts";

export const handler = serve(getMe, async ({ caller: { account, token } }) => answer(200, meView(account, token)));
