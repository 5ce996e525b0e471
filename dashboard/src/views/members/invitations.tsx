import { useDashboard } from "../../dashboard.ts";
import { GamePicture } from "../../parts/avatar.tsx";
import { idOf, List, useList } from "../../parts/list.tsx";
import { When } from "../../parts/time.tsx";
import { moreInWords, nameOf } from "./roles.ts";

/** @param isWanted whether the list is read already */
export function useInvitations(isWanted: boolean) {
  const { api } = useDashboard();
  const load = async (cursor: string | undefined) => {
    const page = await api.call("GET /invitations", { query: { cursor } });
    return { items: page.invitations, nextCursor: page.next_cursor };
  };
  return useList("invitations", load, isWanted);
}

/** Invitations to the person by the uid; nothing if there are none. */
export function Invitations({ list }: { list: ReturnType<typeof useInvitations> }) {
  if (list.items === undefined || list.items.length === 0) return null;
  return (
    <>
      <h2 class="section">You are invited</h2>
      <List
        list={list}
        label="You are invited"
        keyOf={idOf}
        empty={null}
        row={({ id, project, from, role, expires_at: expiresAt, ...more }) => (
          <>
            <div class="pictured">
              <GamePicture project={project} />
              <div class="row-main">
                <h2 dir="auto">{project.name}</h2>
                <p class="meta">
                  <code>{project.slug}</code>
                  <span>
                    by <bdi>{nameOf(from)}</bdi>, as {role}
                    {moreInWords(more) && `, to this${moreInWords(more)}`}
                  </span>
                  <When it="expires" at={expiresAt} />
                </p>
              </div>
            </div>
            <div class="row-side">
              <a class="button secondary" href={`/invitations/${project.slug}/${id}`}>
                Look at it<span class="visually-hidden">: {project.name}</span>
              </a>
            </div>
          </>
        )}
      />
    </>
  );
}
