import { useCallback, useEffect, useState } from "preact/hooks";
import type { ResponseBody } from "../../api.ts";
import { useDashboard } from "../../dashboard.ts";
import { idOf, List, useList } from "../../parts/list.tsx";
import { Time } from "../../parts/time.tsx";
import { nameOf } from "../members/roles.ts";

type AccountEvent = ResponseBody<"listEvents">["events"][number];
type ProjectEvent = ResponseBody<"listProjectEvents">["events"][number];

const eventsInWords: Record<AccountEvent["type"], string> = {
  account_created: "Account created",
  role_upgraded: "Became a developer",
  account_suspended: "Account suspended by the operator",
  account_reinstated: "Account no longer suspended",
  token_created: "Token created",
  token_first_used: "Token used for the first time",
  token_used_from_new_network: "Token used from a new network",
  token_rotated: "Token replaced; it expires after the overlap",
  token_disclosed: "Token found in public",
  token_revoked: "Token revoked",
  project_created: "Project created",
  project_deleted: "Project deleted",
  project_restored: "Project restored",
  project_edited: "Project edited",
  project_handed_over: "Project handed over to another developer",
  project_received: "Project taken over from another developer",
  project_suspended: "Project suspended by the operator",
  project_reinstated: "Project no longer suspended",
  invitation_created: "Somebody invited to a project",
  invitation_deleted: "Invitation to a project withdrawn or refused",
  member_added: "Became a member of a project",
  member_removed: "Member of a project removed, or project left",
  member_role_changed: "Member of a project got another role",
  publisher_added: "CI jobs may publish a project",
  publisher_removed: "CI jobs may no longer publish a project",
  token_exchanged: "CI job got a token for 15 minutes",
  release_published: "Release published",
  release_unpublished: "Project taken offline",
  release_withdrawn: "Release deleted",
};

/** What happened to the account, with the names of the tokens. */
export function Events() {
  const { api } = useDashboard();
  const list = useList("events", async (cursor) => {
    const page = await api.call("listEvents", { method: "GET", path: "/me/events", query: { cursor, limit: "20" } });
    return { items: page.events, nextCursor: page.next_cursor };
  });
  const names = useTokenNames(list.items);
  const row = useCallback((event: AccountEvent) => <EventRow event={event} names={names} />, [names]);
  return <List list={list} label="Events" keyOf={idOf} empty={<p class="hint">Nothing yet.</p>} row={row} />;
}

type Names = ReadonlyMap<string, string>;

/** The names of tokens by their ids: as many pages of the tokens are read as the events need. */
function useTokenNames(events: readonly AccountEvent[] | undefined): Names {
  const { api, account } = useDashboard();
  const [names, setNames] = useState<Names>(new Map());
  const [cursor, setCursor] = useState<string | null>();
  const isMissing = events?.some(({ token_id: id }) => id !== undefined && !names.has(id));
  useEffect(() => {
    if (!isMissing || cursor === null || account.user.role !== "dev") return;
    api.call("listTokens", { method: "GET", path: "/tokens", query: { cursor } }).then(
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

interface EventRowProps {
  /** Of an account, or of a project, whose events say who did it. */
  readonly event: AccountEvent & Partial<Pick<ProjectEvent, "by" | "member" | "role">>;
  readonly names?: Names;
}

/** The place where a token was found is a text that a reporter has sent, so it is never made a link. */
export function EventRow({ event, names }: EventRowProps) {
  const { type, at, project, by, member, role, token_id: token, found_at: foundAt } = event;
  const isByJob = by === null && event.publisher_id !== undefined;
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
          {member && (
            <>
              {" · "}
              <bdi>{nameOf(member)}</bdi>
            </>
          )}
          {role && ` as ${role}`}
        </p>
        {foundAt && (
          <p class="hint">
            at <code>{foundAt}</code>
          </p>
        )}
        {(by || isByJob || token) && (
          <p class="meta">
            {(by || isByJob) && (
              <span>
                by <bdi>{by ? nameOf(by) : "a CI job"}</bdi>
              </span>
            )}
            {token && <span>token {names?.has(token) ? <b>{names.get(token)}</b> : <code>{token}</code>}</span>}
          </p>
        )}
      </div>
      <div class="row-side meta">
        <Time at={at} />
      </div>
    </>
  );
}
