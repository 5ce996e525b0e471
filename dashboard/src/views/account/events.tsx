import { useCallback, useEffect, useState } from "preact/hooks";
import { eventInWords } from "../../../../contract/api/accounts/event-words.ts";
import type { ResponseBody } from "../../../../contract/client.ts";
import { useDashboard } from "../../dashboard.ts";
import { idOf, List, useList } from "../../parts/list.tsx";
import { Time } from "../../parts/time.tsx";
import { Origin } from "../releases/provenance.tsx";

type AccountEvent = ResponseBody<"listEvents">["events"][number];

/** Events of the account, with the names of the tokens. */
export function Events() {
  const { api } = useDashboard();
  const list = useList("events", async (cursor) => {
    const page = await api.call("GET /me/events", { query: { cursor, limit: "20" } });
    return { items: page.events, nextCursor: page.next_cursor };
  });
  const names = useTokenNames(list.items);
  const row = useCallback((event: AccountEvent) => <EventRow event={event} names={names} />, [names]);
  return <List list={list} label="Events" keyOf={idOf} empty={<p class="hint">Nothing yet.</p>} row={row} />;
}

type Names = ReadonlyMap<string, string>;

/** The names of tokens by their ids: as many pages of the tokens are read as the events need that have no name themselves. */
function useTokenNames(events: readonly AccountEvent[] | undefined): Names {
  const { api, account } = useDashboard();
  const [names, setNames] = useState<Names>(new Map());
  const [cursor, setCursor] = useState<string | null>();
  const isMissing = events?.some(
    ({ token_id: id, token_name: name }) => id !== undefined && name === undefined && !names.has(id),
  );
  useEffect(() => {
    if (!isMissing || cursor === null || account.user.role !== "dev") return;
    api.call("GET /tokens", { query: { cursor } }).then(
      (page) => {
        setNames(new Map([...names, ...page.tokens.map(({ id, name }) => [id, name] as const)]));
        setCursor(page.next_cursor);
      },
      // The ids are shown instead.
      () => setCursor(null),
    );
  }, [api, isMissing, cursor]);
  return names;
}

/** The place where a token was found is a text that a reporter has sent, so it is never made a link. */
function EventRow({ event, names }: { event: AccountEvent; names: Names }) {
  const { at, project, message, token_id: token, found_at: foundAt } = event;
  const name = event.token_name ?? names.get(token ?? "");
  return (
    <>
      <div class="row-main">
        <p>
          {eventInWords(event)}
          {project && (
            <>
              {" · "}
              <a href={`/projects/${project}`}>{project}</a>
            </>
          )}
        </p>
        {message && <p class="clipped">{message}</p>}
        <Origin {...event} />
        {foundAt && (
          <p class="hint">
            at <code>{foundAt}</code>
          </p>
        )}
        {token && <p class="meta">token {name === undefined ? <code>{token}</code> : <b>{name}</b>}</p>}
      </div>
      <div class="row-side meta">
        <Time at={at} />
      </div>
    </>
  );
}
