import { useState } from "preact/hooks";
import type { ResponseBody } from "../api.ts";
import { useDashboard } from "../dashboard.ts";
import { Avatar } from "../parts/avatar.tsx";
import { Button } from "../parts/button.tsx";
import { Copy } from "../parts/copy.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { TextArea, TextField } from "../parts/field.tsx";
import { useSubmission } from "../parts/form.ts";
import { later } from "../parts/later.tsx";
import { idOf, List, useList } from "../parts/list.tsx";
import { NameField } from "../parts/name-field.tsx";
import { Notice, Problem } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { Time } from "../parts/time.tsx";

export function AccountPage() {
  const { account, signOut } = useDashboard();
  const submission = useSubmission();
  return (
    <Page
      title="Account"
      lead={account.user.email ? `Signed in as ${account.user.email}` : "Signed in"}
      action={
        <Button busy={submission.busy} onClick={() => submission.run(signOut)}>
          Sign out
        </Button>
      }
    >
      <Problem of={submission} />
      <div class="columns">
        <Profile />
        <PublicProfile />
      </div>
      <h2 class="section">Your data</h2>
      <YourData />
      <h2 class="section">What happened</h2>
      <Events />
    </Page>
  );
}

function Profile() {
  const { api, account, setAccount } = useDashboard();
  const { user, developer } = account;
  const [name, setName] = useState(user.name);
  const [avatar, setAvatar] = useState(user.avatar ?? "");
  const [displayName, setDisplayName] = useState(developer?.display_name ?? "");
  const [bio, setBio] = useState(developer?.bio ?? "");
  const [saved, setSaved] = useState(false);
  const submission = useSubmission();
  const save = submission.onSubmit(async () => {
    setSaved(false);
    const ofDeveloper = { display_name: displayName === "" ? null : displayName, bio: bio === "" ? null : bio };
    const body = { name, avatar: avatar === "" ? null : avatar, ...(developer && ofDeveloper) };
    setAccount(await api.call("updateMe", { method: "PATCH", path: "/me", body }));
    setSaved(true);
  });
  return (
    <form class="card" onSubmit={save}>
      <h2>Profile</h2>
      <Problem of={submission} />
      <NameField value={name} onValue={setName} submission={submission} />
      <TextField
        label="Picture (optional)"
        hint="An https address of an image"
        inputMode="url"
        value={avatar}
        onValue={setAvatar}
        error={submission.fieldError("/avatar")}
      />
      {developer && (
        <>
          <TextField
            label="Display name (optional)"
            hint="The name that your games are published under"
            value={displayName}
            onValue={setDisplayName}
            maxLength={80}
            error={submission.fieldError("/display_name")}
          />
          <TextArea label="About you (optional)" value={bio} onValue={setBio} error={submission.fieldError("/bio")} />
        </>
      )}
      <div class="actions">
        {saved && <Notice kind="done">Saved</Notice>}
        <Button kind="primary" type="submit" busy={submission.busy}>
          Save
        </Button>
      </div>
    </form>
  );
}

/** What `GET /users/:uid` shows to everybody. */
function PublicProfile() {
  const { user, developer } = useDashboard().account;
  return (
    <section class="card public-profile" aria-labelledby="public-profile">
      <h2 id="public-profile">As others see you</h2>
      <div class="person">
        <Avatar name={developer?.display_name ?? user.name} large />
        <div>
          <p class="person-name">{developer?.display_name ?? user.name}</p>
          {developer?.display_name && <p class="hint">{user.name}</p>}
        </div>
      </div>
      {developer?.bio ? <p class="bio">{developer.bio}</p> : <p class="hint">Nothing about you yet.</p>}
      <div class="field">
        <p class="label">Your user ID</p>
        <Copy text={user.uid} label="your user ID" />
        <p class="hint">Whoever hands a project over to you asks for it.</p>
      </div>
      <p class="hint">Your email address and your role are not shown to others.</p>
    </section>
  );
}

const ExportAccount = later(async () => (await import("./ends.ts")).ExportAccount);
const Storage = later(async () => (await import("./ends.ts")).Storage);
const DeleteAccount = later(async () => (await import("./ends.ts")).DeleteAccount);

function YourData() {
  const [isDeleting, setDeleting] = useState(false);
  return (
    <>
      <ul class="rows" aria-label="Your data">
        <li class="row">
          <Storage />
        </li>
        <li class="row">
          <ExportAccount />
        </li>
        <li class="row">
          <div class="row-main">
            <h3>Delete your account</h3>
            <p class="hint">What is stored about you goes with it. You are told what that means first.</p>
          </div>
          <div class="row-side">
            <Button onClick={() => setDeleting(true)}>Delete account</Button>
          </div>
        </li>
      </ul>
      {isDeleting && (
        <Dialog title="Delete your account?" onClose={() => setDeleting(false)}>
          <DeleteAccount onCancel={() => setDeleting(false)} />
        </Dialog>
      )}
    </>
  );
}

type AccountEvent = ResponseBody<"listEvents">["events"][number];

const eventsInWords: Record<AccountEvent["type"], string> = {
  account_created: "Account created",
  role_upgraded: "Became a developer",
  account_suspended: "Account suspended by the operator",
  account_reinstated: "Account no longer suspended",
  token_created: "Token created",
  token_first_used: "Token used for the first time",
  token_used_from_new_network: "Token used from a new network",
  token_rotated: "Token replaced; it ends after the overlap",
  token_disclosed: "Token found in public",
  token_revoked: "Token revoked",
  project_created: "Project created",
  project_deleted: "Project deleted",
  project_restored: "Project restored",
  project_offered: "Project offered to another developer",
  project_handed_over: "Project handed over to another developer",
  project_received: "Project taken over from another developer",
  project_suspended: "Project suspended by the operator",
  project_reinstated: "Project no longer suspended",
  release_published: "Release published",
  release_unpublished: "Release unpublished",
};

function Events() {
  const { api } = useDashboard();
  const list = useList("events", async (cursor) => {
    const page = await api.call("listEvents", { method: "GET", path: "/me/events", query: { cursor, limit: "20" } });
    return { items: page.events, nextCursor: page.next_cursor };
  });
  return <List list={list} label="Events" keyOf={idOf} empty={<p class="hint">Nothing yet.</p>} row={eventRow} />;
}

const eventRow = (event: AccountEvent) => <EventRow event={event} />;

/** The place where a token was found is a text that a reporter has sent, so it is never made a link. */
function EventRow({ event }: { event: AccountEvent }) {
  const { type, at, project, token_id: token, found_at: foundAt, reported_by: reportedBy } = event;
  return (
    <>
      <div class="row-main">
        <p>
          {eventsInWords[type]}
          {project && (
            <>
              {" · "}
              <a href={`/projects/${project}`}>{project}</a>
            </>
          )}
        </p>
        {foundAt && (
          <p class="hint">
            at <code>{foundAt}</code>
          </p>
        )}
        {(token || reportedBy) && (
          <p class="meta">
            {token && (
              <span>
                token <code>{token}</code>
              </span>
            )}
            {reportedBy === "github" && <span>reported by GitHub</span>}
          </p>
        )}
      </div>
      <div class="row-side meta">
        <Time at={at} />
      </div>
    </>
  );
}
