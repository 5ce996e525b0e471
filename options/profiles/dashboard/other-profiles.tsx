import { useDashboard } from "../../../dashboard/src/dashboard.ts";
import { idOf, List, useList } from "../../../dashboard/src/parts/list.tsx";
import { ExactTime } from "../../../dashboard/src/parts/time.tsx";
import { profileUrl } from "./profile-url.ts";
import type { Profile } from "./resources.ts";

interface OtherProfilesProps {
  readonly slug: string;
  readonly id: string;
  /** The one beside which it is shown now. */
  readonly other: string | undefined;
  readonly titleOf: (release: string) => string;
}

/** The profiles with which one can be compared. */
export function OtherProfiles({ slug, id, other, titleOf }: OtherProfilesProps) {
  const { api } = useDashboard();
  const list = useList(`profiles beside ${id}`, async (cursor) => {
    const page = await api.call("GET /projects/:slug/profiles", { params: { slug }, query: { cursor } });
    return { items: page.profiles.filter((profile) => profile.id !== id), nextCursor: page.next_cursor };
  });
  const row = (profile: Profile) => (
    <div class="row-main">
      <h3 class="clipped">
        <a href={profileUrl(slug, id, profile.id)} aria-current={profile.id === other ? "true" : undefined}>
          <bdi>
            {titleOf(profile.release)} on {profile.device ?? "no device yet"}
          </bdi>
        </a>
      </h3>
      <p class="meta">
        <ExactTime at={profile.created_at} />
      </p>
    </div>
  );
  return (
    <section>
      <h2 class="section">Compare with</h2>
      {other !== undefined && (
        <p>
          <a href={profileUrl(slug, id)}>Show this one alone</a>
        </p>
      )}
      <List
        list={list}
        label="Compare with"
        keyOf={idOf}
        empty={<p class="hint">There is no other profile: measure another release or another device.</p>}
        row={row}
      />
    </section>
  );
}
