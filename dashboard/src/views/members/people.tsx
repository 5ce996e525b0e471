import { useState } from "preact/hooks";
import type { ResponseBody } from "../../../../contract/client.ts";
import { useDashboard } from "../../dashboard.ts";
import { counted } from "../../format.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { Button, RowButton } from "../../parts/button.tsx";
import { Copy } from "../../parts/copy.tsx";
import { Decision } from "../../parts/decision.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Facts } from "../../parts/facts.tsx";
import { Choice } from "../../parts/field.tsx";
import { useSubmission } from "../../parts/form.ts";
import { ListSkeleton } from "../../parts/list.tsx";
import { useLoaded } from "../../parts/loaded.ts";
import { Problem } from "../../parts/notice.tsx";
import { Page } from "../../parts/page.tsx";
import { InvitationRow } from "./invitation-row.tsx";
import { Invite } from "./invite.tsx";
import { memberRoles, moreInWords, nameOf, rolesInWords } from "./roles.ts";

type Team = ResponseBody<"listTeam">;
type Person = Team["people"][number];

/** The people of all projects that somebody owns: inviting to several at once, and removing from all. */
export function People() {
  const { api } = useDashboard();
  const team = useLoaded(() => api.call("GET /team"), [api]);
  const [open, setOpen] = useState<"invite" | Person>();
  const close = () => setOpen(undefined);
  const changed = async () => {
    await team.reload();
    close();
  };
  const { value } = team;
  const placesOf = (uid: string) =>
    value?.people.find(({ user }) => user?.uid === uid)?.projects.map(({ slug }) => slug) ?? [];
  return (
    <Page
      title="People"
      lead="Who works on your projects with you."
      above={{ href: "/", title: "Projects" }}
      action={
        <Button kind="primary" onClick={() => setOpen("invite")}>
          Invite
        </Button>
      }
    >
      <Problem of={team} />
      {value === undefined ? (
        !team.problem && <ListSkeleton />
      ) : (
        <>
          {value.people.length + value.invitations.length === 0 && (
            <p>Nobody yet. Invite somebody to some of your projects, or to all with those to come.</p>
          )}
          <Rows of={value} onChanged={team.reload} onRemove={setOpen} />
          <Teams of={value.teams} onChanged={team.reload} />
        </>
      )}
      {open === "invite" && (
        <Dialog title="Invite to your projects" onClose={close}>
          <Invite placesOf={placesOf} onInvited={team.reload} onClose={close} />
        </Dialog>
      )}
      {open && open !== "invite" && <Removal person={open} onRemoved={changed} onClose={close} />}
    </Page>
  );
}

interface RowsProps {
  readonly of: Team;
  readonly onChanged: () => Promise<void>;
  readonly onRemove: (person: Person) => void;
}

function Rows({ of: { people, invitations }, onChanged, onRemove }: RowsProps) {
  if (people.length + invitations.length === 0) return null;
  return (
    <ul class="rows" aria-label="People">
      {people.map((person) => (
        <li class="row" key={person.user?.uid}>
          <PersonRow person={person} onChanged={onChanged} onRemove={() => onRemove(person)} />
        </li>
      ))}
      {invitations.map(({ project, invitation }) => (
        <li class="row" key={invitation.id}>
          <InvitationRow slug={project} invitation={invitation} heading="h2" onChanged={onChanged}>
            as {invitation.role} in {project}
            {moreInWords(invitation)}
          </InvitationRow>
        </li>
      ))}
    </ul>
  );
}

/** In what a person has each role: "Publisher in dunes and 3 more projects". */
function placesInWords(projects: Person["projects"]): readonly string[] {
  return memberRoles.flatMap((role) => {
    const [first, ...more] = projects.filter((one) => one.role === role);
    if (first === undefined) return [];
    const others = more.length > 0 ? ` and ${counted(more.length, "more project")}` : "";
    return [`${rolesInWords[role].title} in ${first.slug}${others}`];
  });
}

interface PersonRowProps {
  readonly person: Person;
  readonly onChanged: () => Promise<void>;
  readonly onRemove: () => void;
}

function PersonRow({ person: { user, future, projects }, onChanged, onRemove }: PersonRowProps) {
  const { api } = useDashboard();
  const submission = useSubmission();
  const name = nameOf(user);
  const stop = () =>
    submission.run(async () => {
      await api.call("DELETE /team", { query: { uid: user?.uid, projects: "keep" } });
      await onChanged();
    });
  return (
    <>
      <div class="pictured">
        <Avatar name={name} ownPicture={null} large />
        <div class="row-main">
          <h2>
            <bdi>{name}</bdi>
          </h2>
          <p class="meta">
            {placesInWords(projects).map((place) => (
              <span key={place}>{place}</span>
            ))}
            {user && <Copy inline text={user.uid} label={`the user ID of ${name}`} />}
          </p>
          <Problem of={submission} />
        </div>
      </div>
      <div class="row-side">
        {future && <span class="badge off">Joins new projects as {future}</span>}
        {user && (
          <div class="row-actions">
            {future && <RowButton label="No new projects" busy={submission.busy} of={name} onClick={stop} />}
            <RowButton label="Remove from all" of={name} risky onClick={onRemove} />
          </div>
        )}
      </div>
    </>
  );
}

/** Whose new projects the person joins. */
function Teams({ of: teams, onChanged }: { readonly of: Team["teams"]; readonly onChanged: () => Promise<void> }) {
  const { api } = useDashboard();
  const submission = useSubmission();
  if (teams.length === 0) return null;
  const leave = (uid: string | undefined) =>
    submission.run(async () => {
      await api.call("DELETE /team", { query: { owner: uid } });
      await onChanged();
    });
  return (
    <>
      <h2 class="section">You join the new projects of</h2>
      <Problem of={submission} />
      <ul class="rows" aria-label="You join the new projects of">
        {teams.map(({ owner, role, since }) => (
          <li class="row" key={owner?.uid ?? since}>
            <div class="row-main">
              <h3>
                <bdi>{nameOf(owner)}</bdi>
              </h3>
              <p class="meta">
                <span>as {role}</span>
              </p>
            </div>
            <div class="row-side">
              {owner && (
                <RowButton
                  label="Join no more"
                  of={nameOf(owner)}
                  busy={submission.busy}
                  risky
                  onClick={() => leave(owner.uid)}
                />
              )}
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}

interface RemovalProps {
  readonly person: Person;
  readonly onRemoved: () => Promise<void>;
  readonly onClose: () => void;
}

/** Asks before somebody is removed from all projects. */
function Removal({ person: { user, projects }, onRemoved, onClose }: RemovalProps) {
  const { api } = useDashboard();
  const [removesJobs, setRemovesJobs] = useState(true);
  const hasAdmin = projects.some(({ role }) => role === "admin");
  const remove = async () => {
    const query = { uid: user?.uid, publishers: hasAdmin && removesJobs ? "remove" : "keep" };
    await api.call("DELETE /team", { query });
    await onRemoved();
  };
  return (
    <Dialog title={`Remove ${nameOf(user)} from all your projects?`} onClose={onClose}>
      <Facts
        of={[
          ["Projects", projects.length > 0 ? projects.map(({ slug }) => slug).join(", ") : "none now"],
          ["They", "are refused from their next request on, join no new project, and their invitations end."],
          ["Releases", "that they published stay as they are."],
        ]}
      />
      {hasAdmin && (
        <Choice
          type="checkbox"
          name="publishers"
          label="Remove the CI jobs that they added too"
          checked={removesJobs}
          onChecked={setRemovesJobs}
        />
      )}
      <Decision submit="Remove from all" doing="Removing…" onDecided={remove} onCancel={onClose} />
    </Dialog>
  );
}
