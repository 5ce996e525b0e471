import { useState } from "preact/hooks";
import { phoneAdvice } from "../../../contract/api/projects/phone-advice.ts";
import type { ResponseBody } from "../../../contract/client.ts";
import type { Api } from "../../../dashboard/src/api.ts";
import { useDashboard } from "../../../dashboard/src/dashboard.ts";
import { Button, FormActions } from "../../../dashboard/src/parts/button.tsx";
import { Copy } from "../../../dashboard/src/parts/copy.tsx";
import { Dialog } from "../../../dashboard/src/parts/dialog.tsx";
import { Choice } from "../../../dashboard/src/parts/field.tsx";
import { useSubmission } from "../../../dashboard/src/parts/form.ts";
import { useLoaded } from "../../../dashboard/src/parts/loaded.ts";
import { Notice, Problem } from "../../../dashboard/src/parts/notice.tsx";
import type { Preview, Release } from "../../../dashboard/src/resources.ts";
import { navigate } from "../../../dashboard/src/router.ts";
import { titleOf } from "../../../dashboard/src/views/releases/release-titles.ts";
import { releasesPage } from "../../../dashboard/src/views/releases/releases-page.ts";
import { QrCode } from "../../../dashboard/src/views/share.tsx";
import { profileUrl } from "./profile-url.ts";

type Grant = ResponseBody<"createTelemetryGrant">;

interface NewProfileProps {
  readonly slug: string;
  readonly onMade: () => Promise<void>;
  readonly onClose: () => void;
}

/** Makes a link that profiles a release that can be played, and shows it once. */
export function NewProfile({ slug, onMade, onClose }: NewProfileProps) {
  const [grant, setGrant] = useState<Grant>();
  const made = async (one: Grant) => {
    setGrant(one);
    await onMade();
  };
  return (
    <Dialog title="Profile on a device" onClose={onClose}>
      {grant ? (
        <GrantLink slug={slug} grant={grant} onClose={onClose} />
      ) : (
        <ReleaseForm slug={slug} onMade={made} onCancel={onClose} />
      )}
    </Dialog>
  );
}

interface ReleaseFormProps {
  readonly slug: string;
  readonly onMade: (grant: Grant) => Promise<void>;
  readonly onCancel: () => void;
}

function ReleaseForm({ slug, onMade, onCancel }: ReleaseFormProps) {
  const { api } = useDashboard();
  const played = useLoaded(() => playedReleases(api, slug), [api, slug]);
  const { value: releases, problem } = played;
  const [chosen, setChosen] = useState<string>();
  const submission = useSubmission();
  const release = chosen ?? releases?.[0]?.id;
  const make = submission.onSubmit(async () => {
    const body = release === undefined ? {} : { release };
    await onMade(await api.call("POST /projects/:slug/telemetry-grants", { params: { slug }, body }));
  });
  if (problem !== undefined) return <Problem of={played} />;
  if (releases === undefined) return <p role="status">Loading…</p>;
  if (releases.length === 0)
    return <Notice kind="note">Nothing can be played yet: publish a release or open a preview of one first.</Notice>;
  return (
    <form onSubmit={make}>
      <Problem of={submission} />
      <fieldset>
        <legend>Release</legend>
        {releases.map((each) => (
          <Choice
            key={each.id}
            type="radio"
            name="release"
            label={titleOf(each)}
            hint={each.status === "live" ? "Live" : "Its preview"}
            checked={each.id === release}
            onChecked={() => setChosen(each.id)}
          />
        ))}
      </fieldset>
      <p class="hint">The link works for an hour. Its profile takes 2 MiB of your storage and is kept for 30 days.</p>
      <FormActions submit="Make the link" doing="Making it…" busy={submission.busy} onCancel={onCancel} />
    </form>
  );
}

/** The releases that can be played: the live one first, then those with a preview. */
async function playedReleases(api: Api, slug: string): Promise<readonly Release[]> {
  const [{ previews }, { items }] = await Promise.all([
    api.call("GET /projects/:slug/previews", { params: { slug } }),
    releasesPage(api, slug, undefined),
  ]);
  const live = items.filter(({ status }) => status === "live");
  return [...live, ...uniqueReleases(previews)];
}

function uniqueReleases(previews: readonly Preview[]): Release[] {
  return [...new Map(previews.map(({ release }) => [release.id, release])).values()];
}

function GrantLink({ slug, grant: { profile, url }, onClose }: { slug: string; grant: Grant; onClose: () => void }) {
  return (
    <>
      <div class="share">
        <Copy text={url} label="the link" />
        <div class="share-row">
          <QrCode of={url} />
          <p class="hint">{phoneAdvice(url) ?? "Point a phone’s camera at it and play there."}</p>
        </div>
        <p class="hint">The link is shown only now. Whoever has it can add to this one profile, and do nothing else.</p>
      </div>
      <div class="actions">
        <Button onClick={onClose}>Close</Button>
        <Button kind="primary" onClick={() => navigate(profileUrl(slug, profile.id))}>
          Watch it
        </Button>
      </div>
    </>
  );
}
