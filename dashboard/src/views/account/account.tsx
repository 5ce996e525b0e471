import { useState } from "preact/hooks";
import { type Account, useDashboard } from "../../dashboard.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { Button } from "../../parts/button.tsx";
import { Copy } from "../../parts/copy.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { useEdit } from "../../parts/edit.ts";
import { Choice, TextArea, TextField } from "../../parts/field.tsx";
import { useSubmission } from "../../parts/form.ts";
import { NameField } from "../../parts/name-field.tsx";
import { Problem } from "../../parts/notice.tsx";
import { Page } from "../../parts/page.tsx";
import { SaveActions } from "../../parts/save-actions.tsx";
import { lazyView } from "../load-views.ts";

export function AccountPage() {
  const { account, signOut } = useDashboard();
  const submission = useSubmission();
  return (
    <Page
      title="Account"
      lead={account.user.email ? `Signed in as ${account.user.email}` : "Signed in"}
      action={
        <Button busy={submission.busy} doing="Signing out…" onClick={() => submission.run(signOut)}>
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

/** Fields that the form edits. */
function profileOf({ user: { name, avatar, release_mails }, developer }: Account) {
  return {
    name,
    avatar,
    release_mails,
    ...(developer && { display_name: developer.display_name, bio: developer.bio }),
  };
}

function Profile() {
  const { api, account, setAccount } = useDashboard();
  const { user, developer } = account;
  const [name, setName] = useState(user.name);
  const [avatar, setAvatar] = useState(user.avatar ?? "");
  const [displayName, setDisplayName] = useState(developer?.display_name ?? "");
  const [bio, setBio] = useState(developer?.bio ?? "");
  const [releaseMails, setReleaseMails] = useState(user.release_mails);
  const [saved, setSaved] = useState(false);
  const submission = useSubmission();
  const edit = useEdit(account, {
    fieldsOf: profileOf,
    read: () => api.read("GET /me"),
    write: (body, ifMatch) => api.call("PATCH /me", { body, ifMatch }),
  });
  const ofDeveloper = { display_name: displayName === "" ? null : displayName, bio: bio === "" ? null : bio };
  const ofUser = { name, avatar: avatar === "" ? null : avatar, release_mails: releaseMails };
  const edited = { ...ofUser, ...(developer && ofDeveloper) };
  const isUnsaved = edit.isUnsaved(edited);
  const save = submission.onSubmit(async () => {
    if (!isUnsaved) return;
    setSaved(false);
    setAccount(await edit.save(edited));
    setSaved(true);
  });
  return (
    <form class="card" onSubmit={save}>
      <h2>Profile</h2>
      <Unsaved isUnsaved={isUnsaved} />
      <Problem of={submission} />
      {[user.uid, "Unnamed"].includes(user.name) && (
        <p class="hint">Your identity provider gives no name, so others see this one. Choose another here.</p>
      )}
      <NameField value={name} onValue={setName} submission={submission} />
      <TextField
        label="Picture (optional)"
        hint="The https URL of an image"
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
      {developer && (
        <Choice
          type="checkbox"
          name="release_mails"
          label="Mail me when releases of my projects change"
          hint="Of projects that you own or are an admin of. What you do here yourself is not mailed."
          checked={releaseMails}
          onChecked={setReleaseMails}
        />
      )}
      <SaveActions isUnsaved={isUnsaved} isSaved={saved} busy={submission.busy} />
    </form>
  );
}

/** Profile that `GET /users/:uid` shows to everybody. */
function PublicProfile() {
  const { user, developer } = useDashboard().account;
  return (
    <section class="card" aria-labelledby="public-profile">
      <h2 id="public-profile">As others see you</h2>
      <div class="person">
        <Avatar name={developer?.display_name ?? user.name} ownPicture={user.avatar} large />
        <div>
          <p class="person-name">{developer?.display_name ?? user.name}</p>
          {developer?.display_name && <p class="hint">{user.name}</p>}
        </div>
      </div>
      {developer?.bio ? <p class="bio">{developer.bio}</p> : <p class="hint">Nothing about you yet.</p>}
      <div class="field">
        <p class="label">Your user ID</p>
        <Copy text={user.uid} label="your user ID" />
        <p class="hint">Whoever invites you to a project, or hands one over to you, may ask for it.</p>
      </div>
      <p class="hint">Your email address and your role are not shown to others.</p>
    </section>
  );
}

const Unsaved = lazyView(({ Unsaved }) => Unsaved, null);
const Events = lazyView(({ Events }) => Events);
const ExportAccount = lazyView(({ ExportAccount }) => ExportAccount);
const Storage = lazyView(({ Storage }) => Storage);
const DeleteAccount = lazyView(({ DeleteAccount }) => DeleteAccount);

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
            <Button risky onClick={() => setDeleting(true)}>
              Delete account
            </Button>
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
