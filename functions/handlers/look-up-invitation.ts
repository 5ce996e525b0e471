import * as contract from "../../contract/api/projects/members.ts";
import { lookUpInvitation } from "../domain/projects/invitations.ts";
import { receivedInvitationView } from "../http/member-views.ts";
import { response } from "../http/response.ts";
import { serveOpen } from "../http/serve-open.ts";

export const handler = serveOpen(
  contract.lookUpInvitation,
  async ({ params: { slug, invitation }, body: { secret }, receivedAt }) =>
    response(200, receivedInvitationView(await lookUpInvitation({ slug, id: invitation, secret }, receivedAt))),
);
