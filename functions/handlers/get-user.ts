import { getUser } from "../../contract/accounts.ts";
import { findUser } from "../domain/accounts.ts";
import { answer } from "../http/answer.ts";
import { serve } from "../http/serve.ts";
import { userView } from "../http/views.ts";

export const handler = serve(getUser, async ({ params: { uid } }) => answer(200, userView(await findUser(uid))));
