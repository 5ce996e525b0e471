import { useEffect, useState } from "preact/hooks";
import type { ResponseBody } from "../../../../contract/client.ts";
import { useDashboard } from "../../dashboard.ts";
import { Button } from "../../parts/button.tsx";
import { Facts } from "../../parts/facts.tsx";
import { useSubmission } from "../../parts/form.ts";
import { ListSkeleton } from "../../parts/list.tsx";
import { useLoaded } from "../../parts/loaded.ts";
import { Problem } from "../../parts/notice.tsx";
import { Page } from "../../parts/page.tsx";
import { Time } from "../../parts/time.tsx";
import { navigate } from "../../router.ts";
import { invitedTo, nameOf, rolesInWords } from "./roles.ts";

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
  const received = useLoaded(
    () => api.call("GET /projects/:slug/invitations/:invitation", { params }),
    [api, slug, id],
  );
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
      {role !== "owner" && `, as ${role}`}.
    </>
  );
  return (
    <Page title={role === "owner" ? "Take over a project?" : "Join a project?"} lead={lead} narrow>
      <div class="card">
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

function Meaning({ invitation: { project, role } }: { invitation: ReceivedInvitation }) {
  const { user } = useDashboard().account;
  const consequences = [
    role === "owner" && ["With it come", "its releases, its address, its players and its members. It counts as yours."],
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

function Decision({ invitation: { id, role, project }, secret }: { invitation: ReceivedInvitation; secret: string }) {
  const { api } = useDashboard();
  const submission = useSubmission();
  const params = { slug: project.slug, invitation: id };
  const accept = async () => {
    const body = secret === "" ? {} : { secret };
    if (role !== "viewer" && !api.mayBeDeveloper) await api.becomeDeveloper();
    await api.call("POST /projects/:slug/invitations/:invitation/acceptance", { params, body });
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
