import { useState } from "preact/hooks";
import { useDashboard } from "../../dashboard.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { Button, RowButton } from "../../parts/button.tsx";
import { Copy } from "../../parts/copy.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { useSubmission } from "../../parts/form.ts";
import { List, type LoadedList, useList } from "../../parts/list.tsx";
import { Problem } from "../../parts/notice.tsx";
import { Lasting } from "../../parts/time.tsx";
import type { Invitation, Member, Project, Publisher } from "../../resources.ts";
import { SectionHeading, sections } from "../projects/settings-sections.tsx";
import { InvitationRow } from "./invitation-row.tsx";
import { Invite } from "./invite.tsx";
import { MemberRemoval } from "./member-removal.tsx";
import { isAdmin, memberRoles, moreInWords, nameOf, rolesInWords } from "./roles.ts";

type MemberOrInvitation = Member | Invitation;

function isMember(one: MemberOrInvitation): one is Member {
  return "since" in one;
}

/** The people of a project and then, for those who can withdraw them, the open invitations. */
export function useMembers(slug: string): LoadedList<MemberOrInvitation> {
  const { api } = useDashboard();
  return useList(`members of ${slug}`, async () => {
    const { members, invitations } = await api.call("GET /projects/:slug/members", { params: { slug } });
    return { items: [...members, ...invitations], nextCursor: null };
  });
}

/** User ID of the one who owns the project. */
export function ownerOf(people: readonly MemberOrInvitation[]): string | undefined {
  return people.filter(isMember).find(({ role }) => role === "owner")?.user?.uid;
}

interface MembersProps {
  readonly project: Project;
  readonly list: ReturnType<typeof useMembers>;
  /** All publishers; those that a member added are named when the member goes. */
  readonly publishers: LoadedList<Publisher>;
}

export function Members({ project, list, publishers }: MembersProps) {
  const [open, setOpen] = useState<"invite" | Member>();
  const close = () => setOpen(undefined);
  const changed = async () => {
    await Promise.all([list.reload(), publishers.reload()]);
    close();
  };
  const askToRemove = (member: Member) => {
    void publishers.reload();
    setOpen(member);
  };
  return (
    <>
      <SectionHeading of={sections.members}>
        {isAdmin(project) && !project.suspension && <Button onClick={() => setOpen("invite")}>Invite</Button>}
      </SectionHeading>
      {project.role === "owner" && (
        <p class="hint">
          <a href="/people">Everybody you work with</a>
        </p>
      )}
      <List
        list={list}
        label={sections.members.title}
        keyOf={({ id }) => id ?? "owner"}
        empty={null}
        row={(one) =>
          isMember(one) ? (
            <MemberRow project={project} member={one} onChanged={list.reload} onRemove={() => askToRemove(one)} />
          ) : (
            <InvitationRow slug={project.slug} invitation={one} heading="h3" hasLink onChanged={list.reload}>
              invited by <bdi>{nameOf(one.from)}</bdi> as {one.role}
              {moreInWords(one) && `, to this${moreInWords(one)}`}
            </InvitationRow>
          )
        }
      />
      {open === "invite" && (
        <Dialog title={`Invite to ${project.name}`} onClose={close}>
          <Invite project={project} onInvited={list.reload} onClose={close} />
        </Dialog>
      )}
      {open && open !== "invite" && (
        <MemberRemoval
          project={project}
          member={open}
          publishers={publishers.items ?? []}
          onRemoved={changed}
          onClose={close}
        />
      )}
    </>
  );
}

interface MemberRowProps {
  readonly project: Project;
  readonly member: Member;
  readonly onChanged: () => Promise<void>;
  readonly onRemove: () => void;
}

function MemberRow({ project, member, onChanged, onRemove }: MemberRowProps) {
  const { api, account } = useDashboard();
  const submission = useSubmission();
  const { id, user, role, since, by_team: byTeam } = member;
  const name = nameOf(user);
  const isSelf = user?.uid === account.user.uid;
  const change = (role: (typeof memberRoles)[number]) =>
    submission.run(async () => {
      const params = { slug: project.slug, member: id ?? "" };
      await api.call("PATCH /projects/:slug/members/:member", { params, body: { role } });
      await onChanged();
    });
  return (
    <>
      <div class="pictured">
        <Avatar name={name} ownPicture={isSelf ? account.user.avatar : null} large />
        <div class="row-main">
          <h3>
            <bdi>{name}</bdi>
            {isSelf && " (you)"}
          </h3>
          <p class="meta">
            <Lasting it="member" since={since} />
            {byTeam && <span>came with the project, from the owner’s people</span>}
            {user && <Copy inline text={user.uid} label={`the user ID of ${name}`} />}
          </p>
          <Problem of={submission} />
        </div>
      </div>
      <div class="row-side">
        <span class="badge off">{rolesInWords[role].title}</span>
        {id !== null && (
          <div class="row-actions">
            {isSelf && <RowButton label="Leave" of={project.name} risky onClick={onRemove} />}
            {!isSelf && isAdmin(project) && (
              <>
                {memberRoles
                  .filter((other) => other !== role)
                  .map((other) => (
                    <RowButton
                      key={other}
                      label={`Make ${other}`}
                      busy={submission.busy}
                      of={name}
                      onClick={() => change(other)}
                    />
                  ))}
                <RowButton label="Remove" of={name} risky onClick={onRemove} />
              </>
            )}
          </div>
        )}
      </div>
    </>
  );
}
