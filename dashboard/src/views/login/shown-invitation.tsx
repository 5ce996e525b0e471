import { useMemo, useState } from "preact/hooks";
import { openClient } from "../../api.ts";
import { GamePicture } from "../../parts/avatar.tsx";
import { useLoaded } from "../../parts/loaded.ts";
import { Problem } from "../../parts/notice.tsx";
import { invitedTo, moreInWords, nameOf } from "../members/roles.ts";

interface ShownInvitationProps {
  /** Origin of the API. */
  readonly api: string;
  readonly slug: string;
  readonly id: string;
}

/** Who invites to which game, for a person who has the whole link and has not signed in. An invitation to a user shows itself to that user alone. */
export function ShownInvitation({ api, slug, id }: ShownInvitationProps) {
  const [secret] = useState(() => location.hash.slice(1));
  const client = useMemo(() => openClient(api), [api]);
  const params = { slug, invitation: id };
  const invitation = useLoaded(
    async () =>
      secret === ""
        ? null
        : await client.call("POST /projects/:slug/invitations/:invitation/lookup", { params, body: { secret } }),
    [client, slug, id, secret],
  );
  if (!invitation.value) return <Problem of={invitation} />;
  const { project, from, role } = invitation.value;
  return (
    <div class="card pictured shown-invitation">
      <GamePicture project={project} size="large" isDecoration />
      <p>
        <b>
          <bdi>{nameOf(from)}</bdi>
        </b>{" "}
        {invitedTo(role)}{" "}
        <b>
          <bdi>{project.name}</bdi>
        </b>
        {moreInWords(invitation.value)}, as {role}.
      </p>
    </div>
  );
}
