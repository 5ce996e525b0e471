import { useState } from "preact/hooks";
import type { ResponseBody } from "../../../../contract/client.ts";
import { useDashboard } from "../../dashboard.ts";
import { counted } from "../../format.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { Button, FormActions } from "../../parts/button.tsx";
import { Copy } from "../../parts/copy.tsx";
import { Facts } from "../../parts/facts.tsx";
import { Choice, FieldError, TextField } from "../../parts/field.tsx";
import { useSubmission } from "../../parts/form.ts";
import { Problem } from "../../parts/notice.tsx";
import { ShareButton } from "../../parts/share-button.tsx";
import { Time } from "../../parts/time.tsx";
import { allProjects } from "../../projects.ts";
import type { Project, ProjectRole, PublicProfile } from "../../resources.ts";
import { invitationUrl } from "../../router.ts";
import { type ChosenProjects, ProjectPicker } from "../tokens/project-picker.tsx";
import { memberRoles, nameOf, rolesInWords } from "./roles.ts";

interface InviteProps {
  /** The project from which somebody invites; undefined: all of the person's own. */
  readonly project?: Project;
  /** The slugs of the own projects in which a user has a role already. */
  readonly placesOf?: (uid: string) => readonly string[];
  /** The project is handed over: only to somebody whom the owner names. */
  readonly handsOver?: true;
  /** Somebody is invited, also if the dialog was closed meanwhile. */
  readonly onInvited: () => Promise<void>;
  readonly onClose: () => void;
}

/** Chooses what the other person can do, shows who they are if they are named, invites them, and gives the link to send. */
export function Invite({ project, placesOf = () => [], handsOver, onInvited, onClose }: InviteProps) {
  const { api, account } = useDashboard();
  const [role, setRole] = useState<ProjectRole>(handsOver ? "owner" : "publisher");
  const [uid, setUid] = useState("");
  const [isOwn, setOwn] = useState(false);
  const [isMissing, setMissing] = useState(false);
  const [lookup, setFound] = useState<PublicProfile>();
  const [chosen, setChosen] = useState<ChosenProjects>(project ? undefined : null);
  const [made, setMade] = useState<Made>();
  const submission = useSubmission();
  const wanted = uid.trim();
  // Another user ID may have been written while this one was looked for.
  const profile = lookup?.uid === wanted ? lookup : undefined;
  const isFinding = uid !== "" && profile === undefined;
  const send = submission.onSubmit(async () => {
    setOwn(wanted === account.user.uid);
    if (wanted === account.user.uid) return;
    if (isFinding) return setFound(await api.call("GET /users", { query: { uid: wanted } }));
    const own = chosen === undefined ? [] : (await allProjects(api)).filter(isInvitable);
    const all = chosen === null ? own : own.filter(({ slug }) => chosen?.includes(slug));
    // The link names a project in which the person is not yet.
    const taken = profile ? placesOf(profile.uid) : [];
    const first = project ?? all.find(({ slug }) => !taken.includes(slug)) ?? all[0];
    if (first === undefined) return setMissing(true);
    const projects = all.map(({ slug }) => slug).filter((slug) => slug !== first.slug);
    const body = {
      role,
      ...(profile && { to: profile.uid }),
      ...(projects.length > 0 && { projects }),
      ...(chosen === null && { future: true }),
    };
    const invitation = await api.call("POST /projects/:slug/invitations", { params: { slug: first.slug }, body });
    setMade({ project: first, invitation });
    await onInvited();
  });
  if (made) return <Invited {...made} {...{ profile, onClose }} />;
  const isOwner = project === undefined || project.role === "owner";
  return (
    <form onSubmit={send}>
      {handsOver ? <HandOverFacts /> : <RoleField role={role} onRole={setRole} />}
      {!handsOver && isOwner && (
        <ProjectPicker
          projects={chosen}
          onChange={(projects) => {
            setChosen(projects);
            setMissing(false);
          }}
          submission={submission}
          isOffered={(one) => isInvitable(one) && one.slug !== project?.slug}
          {...(project && { alone: `Only ${project.name}` })}
        />
      )}
      <FieldError of={isMissing ? "Choose a project." : undefined} />
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

/** Whether the person can invite to a project together with others. */
function isInvitable({ role, suspension }: Project): boolean {
  return role === "owner" && !suspension;
}

/** An invitation, and the project that its link names. */
interface Made {
  readonly project: Project;
  readonly invitation: ResponseBody<"createInvitation">;
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

interface InvitedProps extends Pick<InviteProps, "onClose">, Made {
  readonly profile: PublicProfile | undefined;
}

function Invited({ project: { slug, name }, invitation, profile, onClose }: InvitedProps) {
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
        {invitation.more_projects.length > 0 &&
          `It is to ${counted(invitation.more_projects.length + 1, "project")}${invitation.future ? ", and to those to come" : ""}. `}
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
