import { useEffect, useState } from "preact/hooks";
import type { ResponseBody } from "../../../../contract/client.ts";
import { useDashboard } from "../../dashboard.ts";
import { GamePicture } from "../../parts/avatar.tsx";
import { Button } from "../../parts/button.tsx";
import { Facts } from "../../parts/facts.tsx";
import { useSubmission } from "../../parts/form.ts";
import { ListSkeleton } from "../../parts/list.tsx";
import { useLoaded } from "../../parts/loaded.ts";
import { Problem } from "../../parts/notice.tsx";
import { Page } from "../../parts/page.tsx";
import { Time } from "../../parts/time.tsx";
import { navigate } from "../../router.ts";
import { invitedTo, moreInWords, nameOf, rolesInWords } from "./roles.ts";

type ReceivedInvitation = ResponseBody<"getInvitation">;

/** Says who invites the person, to what and what it means. Who accepts becomes a developer with it, but for a viewer. */
export function AcceptInvitation({ slug, id }: { readonly slug: string; readonly id: string }) {
  const {
    api,
    account: { user },
  } = useDashboard();
  // Only a link has it. It leaves the address bar, where others could read it.
  const [secret] = useState(() => location.hash.slice(1));
  useEffect(() => history.replaceState(history.state, "", location.pathname), [slug, id]);
  const params = { slug, invitation: id };
  // Only the whole link shows to which other projects it is.
  const received = useLoaded(async () => {
    const invitation = await api.call("GET /projects/:slug/invitations/:invitation", { params });
    if (secret === "" || !isOpenLink(invitation)) return invitation;
    return await api
      .call("POST /projects/:slug/invitations/:invitation/lookup", { params, body: { secret } })
      .catch(() => invitation);
  }, [api, slug, id]);
  const { value: invitation, problem } = received;
  if (invitation === undefined)
    return (
      <Page title="An invitation" narrow>
        {problem ? (
          <>
            <Problem of={received} />
            <p class="hint">
              You are signed in as <bdi>{user.name}</bdi>, <code>{user.uid}</code>. If another account of yours is
              invited, <a href="/account">sign out</a>, then open the link again.
            </p>
          </>
        ) : (
          <ListSkeleton />
        )}
      </Page>
    );
  const { project, from, role, expires_at: expiresAt } = invitation;
  const lead = (
    <>
      <b>
        <bdi>{nameOf(from)}</bdi>
      </b>{" "}
      {invitedTo(role)}{" "}
      <b>
        <bdi>{project.name}</bdi>
      </b>
      {moreInWords(invitation)}
      {role !== "owner" && `, as ${role}`}.
    </>
  );
  return (
    <Page title={role === "owner" ? "Take over a project?" : "Join a project?"} lead={lead} narrow>
      <div class="card">
        <p class="pictured">
          <GamePicture project={project} size="large" isDecoration />
          <b>
            <bdi>{project.name}</bdi>
          </b>
        </p>
        <Meaning invitation={invitation} />
        <p class="hint">
          The invitation expires <Time at={expiresAt} />. {from && "Its sender’s user ID: "}
          {from && <code>{from.uid}</code>}
        </p>
        <Decision invitation={invitation} secret={secret} />
      </div>
    </Page>
  );
}

/** Whether an invitation may be to more than it shows. */
function isOpenLink({ more_projects: more }: ReceivedInvitation): boolean {
  return more.length === 0;
}

function Meaning({ invitation }: { invitation: ReceivedInvitation }) {
  const { project, role, from, more_projects: more, future } = invitation;
  const { user } = useDashboard().account;
  const consequences = [
    role === "owner" && ["With it come", "its releases, its address, its players and its members. It counts as yours."],
    more.length > 0 && ["Also in", more.join(", ")],
    future && ["Projects to come", `You join each one that ${nameOf(from)} creates, until one of you ends it.`],
    ["You can", `${rolesInWords[role].can}.`],
    role !== "owner" && [
      "Its members",
      "see your name, your user ID and what you do in it. You can leave at any time.",
    ],
    user.role !== "dev" &&
      role !== "viewer" && [
        "Developer",
        "You become one when you accept, and can create projects of your own from then on.",
      ],
  ].filter((one) => one !== false) as [string, string][];
  const playUrl = project.current_release && project.play_url;
  const live = playUrl ? (
    <a href={playUrl} target="_blank" rel="noreferrer">
      Play it
    </a>
  ) : (
    "no release"
  );
  return <Facts of={[["Address", <code>{project.slug}</code>], ["Live", live], ...consequences]} />;
}

type OtherProjects = ResponseBody<"acceptInvitation">["more_projects"];

/** Which projects the person has joined with one invitation, and which not: the page that follows shows only the first. */
function joinedInWords(first: string, others: OtherProjects): string {
  const left = others.filter(({ result }) => result !== "joined" && result !== "already_member");
  const joined = [first, ...others.filter((other) => !left.includes(other)).map(({ slug }) => slug)];
  const rest = left.length > 0 ? ` Not joined: ${left.map(leftInWords).join(", ")}.` : "";
  return `You joined ${joined.join(", ")}.${rest}`;
}

function leftInWords({ slug, result }: OtherProjects[number]): string {
  return `${slug} (${result === "member_limit_reached" ? "it has 20 people already" : "not there any more"})`;
}

function Decision({ invitation: { id, role, project }, secret }: { invitation: ReceivedInvitation; secret: string }) {
  const { api, showToast } = useDashboard();
  const submission = useSubmission();
  const params = { slug: project.slug, invitation: id };
  const accept = async () => {
    const body = secret === "" ? {} : { secret };
    if (role !== "viewer" && !api.mayBeDeveloper) await api.becomeDeveloper();
    const accepted = await api.call("POST /projects/:slug/invitations/:invitation/acceptance", { params, body });
    const { more_projects: others } = accepted;
    if (others.length > 0) showToast({ text: joinedInWords(project.slug, others) });
    navigate(`/projects/${project.slug}`);
  };
  const refuse = async () => {
    await api.call("DELETE /projects/:slug/invitations/:invitation", { params, empty: true });
    navigate("/");
  };
  return (
    <>
      <Problem of={submission} />
      <div class="actions">
        {secret === "" && (
          <Button busy={submission.busy} onClick={() => submission.run(refuse)}>
            Refuse
          </Button>
        )}
        <Button kind="primary" busy={submission.busy} doing="One moment…" onClick={() => submission.run(accept)}>
          {role === "owner" ? "Take it over" : "Join"}
        </Button>
      </div>
    </>
  );
}
