import { useDashboard } from "../../dashboard.ts";
import { idOf, List, useList } from "../../parts/list.tsx";
import { EventRow } from "../account/events.tsx";

/** Who did what in a project. */
export function History({ slug }: { slug: string }) {
  const { api } = useDashboard();
  const list = useList(`history of ${slug}`, async (cursor) => {
    const page = await api.call("GET /projects/:slug/events", { params: { slug }, query: { cursor, limit: "20" } });
    return { items: page.events, nextCursor: page.next_cursor };
  });
  return <List list={list} label="History" keyOf={idOf} empty={<p class="hint">Nothing yet.</p>} row={row} />;
}

const row = (event: Parameters<typeof EventRow>[0]["event"]) => <EventRow event={event} />;
