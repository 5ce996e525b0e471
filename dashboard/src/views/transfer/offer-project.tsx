import { useState } from "preact/hooks";
import type { ResponseBody } from "../../api.ts";
import { useDashboard } from "../../dashboard.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { Button, FormActions } from "../../parts/button.tsx";
import { Copy } from "../../parts/copy.tsx";
import { Facts } from "../../parts/facts.tsx";
import { TextField } from "../../parts/field.tsx";
import { useSubmission } from "../../parts/form.ts";
import { Problem } from "../../parts/notice.tsx";
import type { Project } from "../../resources.ts";
import { offerUrl } from "../../router.ts";

type Profile = ResponseBody<"findUser">;

interface OfferProjectProps {
  readonly project: Project;
  readonly onOffered: () => Promise<void>;
  readonly onCancel: () => void;
}

/** Finds the other developer, shows who they are, offers them the project, and gives the link to send. */
export function OfferProject({ project, onOffered, onCancel }: OfferProjectProps) {
  const [profile, setProfile] = useState<Profile>();
  const [isOffered, setOffered] = useState(false);
  if (profile === undefined) return <FindDeveloper onFound={setProfile} onCancel={onCancel} />;
  if (isOffered) return <Offered slug={project.slug} name={nameOf(profile)} onDone={onOffered} />;
  return (
    <ConfirmOffer
      slug={project.slug}
      profile={profile}
      onOffered={() => setOffered(true)}
      onBack={() => setProfile(undefined)}
    />
  );
}

function nameOf({ display_name: displayName, name }: Profile): string {
  return displayName ?? name;
}

function FindDeveloper({ onFound, onCancel }: { onFound: (profile: Profile) => void; onCancel: () => void }) {
  const { api } = useDashboard();
  const [uid, setUid] = useState("");
  const [isOwn, setOwn] = useState(false);
  const { user } = useDashboard().account;
  const submission = useSubmission();
  const find = submission.onSubmit(async () => {
    setOwn(uid.trim() === user.uid);
    if (uid.trim() === user.uid) return;
    onFound(await api.call("findUser", { method: "GET", path: "/users", query: { uid: uid.trim() } }));
  });
  return (
    <form onSubmit={find}>
      <p>The project moves to another developer, with its releases, its address and its players.</p>
      <Problem of={submission} />
      <TextField
        label="Their user ID"
        hint="They find it on their Account page."
        value={uid}
        onValue={setUid}
        error={isOwn ? "This is your own user ID. Ask the other developer for theirs." : undefined}
        spellcheck={false}
        autocapitalize="none"
        required
      />
      <FormActions submit="Continue" doing="Looking…" busy={submission.busy} onCancel={onCancel} />
    </form>
  );
}

interface ConfirmOfferProps {
  readonly slug: string;
  readonly profile: Profile;
  readonly onOffered: () => void;
  readonly onBack: () => void;
}

function ConfirmOffer({ slug, profile, onOffered, onBack }: ConfirmOfferProps) {
  const { api } = useDashboard();
  const submission = useSubmission();
  const offer = () =>
    submission.run(async () => {
      const path = "/projects/:slug/transfer";
      await api.call("offerProject", { method: "POST", path, params: { slug }, body: { to: profile.uid } });
      onOffered();
    });
  return (
    <>
      <div class="person">
        <Avatar name={nameOf(profile)} large />
        <div>
          <p class="person-name">{nameOf(profile)}</p>
          <p class="hint">
            <code>{profile.uid}</code>
          </p>
        </div>
      </div>
      <Facts
        of={[
          ["Until they accept", "nothing changes, and you can cancel the offer. It expires after 7 days."],
          ["Once they accept", "the project is theirs. You cannot publish, and your tokens do not work for it."],
          ["Players", "notice nothing."],
        ]}
      />
      <Problem of={submission} />
      <div class="actions">
        <Button onClick={onBack}>Somebody else</Button>
        <Button kind="primary" busy={submission.busy} doing="Offering…" onClick={offer}>
          Offer the project
        </Button>
      </div>
    </>
  );
}

/** The service does not notify anybody of an offer, so its owner sends the link. */
function Offered({ slug, name, onDone }: { slug: string; name: string; onDone: () => Promise<void> }) {
  return (
    <>
      <p>
        Send this link to <b>{name}</b>. It works for nobody else.
      </p>
      <Copy text={offerUrl(slug)} label="the link" />
      <div class="actions">
        <Button kind="primary" onClick={onDone}>
          Done
        </Button>
      </div>
    </>
  );
}
