import { useState } from "preact/hooks";
import type { ResponseBody } from "../../../../contract/client.ts";
import { useDashboard } from "../../dashboard.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { Button, FormActions } from "../../parts/button.tsx";
import { Copy } from "../../parts/copy.tsx";
import { Facts } from "../../parts/facts.tsx";
import { Choice, TextField } from "../../parts/field.tsx";
import { useSubmission } from "../../parts/form.ts";
import { Problem } from "../../parts/notice.tsx";
import { ShareButton } from "../../parts/share-button.tsx";
import { Time } from "../../parts/time.tsx";
import type { Project, ProjectRole, PublicProfile } from "../../resources.ts";
import { invitationUrl } from "../../router.ts";
import { memberRoles, nameOf, rolesInWords } from "./roles.ts";

interface InviteProps {
  readonly project: Project;
  /** The project is handed over: only to somebody whom the owner names. */
  readonly handsOver?: true;
  /** Somebody is invited, also if the dialog was closed meanwhile. */
  readonly onInvited: () => Promise<void>;
  readonly onClose: () => void;
}

/** Chooses what the other person can do, shows who they are if they are named, invites them, and gives the link to send. */
export function Invite({ project: { slug, name }, handsOver, onInvited, onClose }: InviteProps) {
  const { api, account } = useDashboard();
  const [role, setRole] = useState<ProjectRole>(handsOver ? "owner" : "publisher");
  const [uid, setUid] = useState("");
  const [isOwn, setOwn] = useState(false);
  const [lookup, setFound] = useState<PublicProfile>();
  const [invitation, setInvitation] = useState<ResponseBody<"createInvitation">>();
  const submission = useSubmission();
  const wanted = uid.trim();
  // Another user ID may have been written while this one was looked for.
  const profile = lookup?.uid === wanted ? lookup : undefined;
  const isFinding = uid !== "" && profile === undefined;
  const send = submission.onSubmit(async () => {
    setOwn(wanted === account.user.uid);
    if (wanted === account.user.uid) return;
    if (isFinding) return setFound(await api.call("GET /users", { query: { uid: wanted } }));
    const body = { role, ...(profile && { to: profile.uid }) };
    setInvitation(await api.call("POST /projects/:slug/invitations", { params: { slug }, body }));
    await onInvited();
  });
  if (invitation) return <Invited slug={slug} name={name} {...{ invitation, profile, onClose }} />;
  return (
    <form onSubmit={send}>
      {handsOver ? <HandOverFacts /> : <RoleField role={role} onRole={setRole} />}
      <TextField
        label={handsOver ? "Their user ID" : "Their user ID (optional)"}
        hint={`They find it on their Account page.${handsOver ? "" : " Without it you get a link that works once, for whoever uses it first."}`}
        value={uid}
        onValue={setUid}
        error={
          isOwn && wanted === account.user.uid
            ? "This is your own user ID. Ask the other person for theirs."
            : undefined
        }
        spellcheck={false}
        autocapitalize="none"
        {...(handsOver && { required: true as const })}
      />
      {profile && (
        <div class="person" role="status">
          <Avatar name={nameOf(profile)} large />
          <p class="person-name">{nameOf(profile)}</p>
        </div>
      )}
      <Problem of={submission} />
      <FormActions
        submit={isFinding ? "Continue" : handsOver ? "Offer the project" : profile ? "Invite" : "Make a link"}
        doing={isFinding ? "Looking…" : "Inviting…"}
        busy={submission.busy}
        onCancel={onClose}
      />
    </form>
  );
}

function HandOverFacts() {
  return (
    <Facts
      of={[
        ["Until they accept", "nothing changes, and you can withdraw the invitation. It expires after 7 days."],
        [
          "Once they accept",
          "the project is theirs, with its releases, its address and its members. You and your tokens can do nothing in it; its CI jobs and previews end.",
        ],
        ["Players", "notice nothing."],
      ]}
    />
  );
}

function RoleField({ role: chosen, onRole }: { role: ProjectRole; onRole: (role: ProjectRole) => void }) {
  return (
    <fieldset>
      <legend>Role</legend>
      {memberRoles.toReversed().map((role) => (
        <Choice
          key={role}
          type="radio"
          name="role"
          label={rolesInWords[role].title}
          hint={`They can ${rolesInWords[role].can}.${role === "viewer" ? " They need not be a developer." : ""}`}
          checked={role === chosen}
          onChecked={() => onRole(role)}
        />
      ))}
    </fieldset>
  );
}

interface InvitedProps extends Pick<InviteProps, "onClose"> {
  readonly slug: string;
  readonly name: string;
  readonly invitation: ResponseBody<"createInvitation">;
  readonly profile: PublicProfile | undefined;
}

function Invited({ slug, name, invitation, profile, onClose }: InvitedProps) {
  return (
    <>
      {profile ? (
        <p>
          Send this link to <b>{nameOf(profile)}</b>, who finds it on the Projects page too. It works for nobody else.
        </p>
      ) : (
        <p>Send this link to one person: whoever uses it first joins as {invitation.role}. It is shown only now.</p>
      )}
      <Copy text={invitationUrl(slug, invitation)} label="the link" />
      <ShareButton url={invitationUrl(slug, invitation)} title={`Invitation to ${name}`} />
      <p class="hint">
        It works once, and expires <Time at={invitation.expires_at} />.
      </p>
      <div class="actions">
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </>
  );
}
