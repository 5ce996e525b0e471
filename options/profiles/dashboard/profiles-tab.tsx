import { Plus, Smartphone } from "lucide";
import { useCallback, useState } from "preact/hooks";
import { useDashboard } from "../../../dashboard/src/dashboard.ts";
import { Button } from "../../../dashboard/src/parts/button.tsx";
import { Icon } from "../../../dashboard/src/parts/icon.tsx";
import { idOf, List, useList } from "../../../dashboard/src/parts/list.tsx";
import { Time, When } from "../../../dashboard/src/parts/time.tsx";
import type { Project } from "../../../dashboard/src/resources.ts";
import { useReleaseTitles } from "../../../dashboard/src/views/releases/release-titles.ts";
import { NewProfile } from "./new-profile.tsx";
import { profileUrl } from "./profile-url.ts";
import type { Profile } from "./resources.ts";
import { shortDevice } from "./short-device.ts";

/** The profiles of a project, and how another one is made. */
export function ProfilesTab({ project: { slug, role } }: { project: Project }) {
  const { api } = useDashboard();
  const [isOpen, setOpen] = useState(false);
  const titleOf = useReleaseTitles(slug);
  const list = useList(`profiles of ${slug}`, async (cursor) => {
    const page = await api.call("GET /projects/:slug/profiles", { params: { slug }, query: { cursor } });
    return { items: page.profiles, nextCursor: page.next_cursor };
  });
  const row = useCallback(
    (profile: Profile) => <ProfileRow slug={slug} profile={profile} release={titleOf(profile.release)} />,
    [slug, titleOf],
  );
  return (
    <div class="grid">
      <div class="titled">
        <p class="hint">
          Open a link on any device and play: here you see how smooth the game runs there.
          {role !== "owner" && " Only the owner of the project makes links."}
        </p>
        {role === "owner" && (
          <Button icon={Plus} onClick={() => setOpen(true)}>
            Make a link
          </Button>
        )}
      </div>
      <List
        list={list}
        label="Profiles"
        keyOf={idOf}
        empty={<NothingProfiled canMake={role === "owner"} />}
        row={row}
      />
      {isOpen && <NewProfile slug={slug} onMade={list.reload} onClose={() => setOpen(false)} />}
    </div>
  );
}

function ProfileRow({ slug, profile, release }: { slug: string; profile: Profile; release: string }) {
  const { id, device, created_at: created, grant_ends_at: end, expires_at: expires } = profile;
  return (
    <>
      <div class="pictured">
        <span class="picture">
          <Icon of={Smartphone} />
        </span>
        <div class="row-main">
          <h2 class="clipped">
            <a href={profileUrl(slug, id)} title={device ?? undefined}>
              <bdi>{device === null ? "Nothing measured" : shortDevice(device)}</bdi>
            </a>
          </h2>
          <p class="meta">
            <bdi>{release}</bdi>
            <Time at={created} />
            <When it="deleted" at={expires} />
          </p>
        </div>
      </div>
      <div class="row-side">{end !== null && <span class="badge on">Link works</span>}</div>
    </>
  );
}

function NothingProfiled({ canMake }: { canMake: boolean }) {
  return (
    <div class="empty">
      <h2>No profiles yet</h2>
      <p>
        {canMake ? "Make a link" : "Ask the owner for a link"}, scan it with a phone, and play for a minute. A profile
        is kept for 30 days.
      </p>
    </div>
  );
}
