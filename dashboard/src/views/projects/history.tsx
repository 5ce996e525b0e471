import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useRef } from "preact/hooks";
import { eventsInWords } from "../../../../contract/api/accounts/event-words.ts";
import type { ResponseBody } from "../../../../contract/client.ts";
import { useDashboard } from "../../dashboard.ts";
import { idOf, List, rowId, useList } from "../../parts/list.tsx";
import { Time } from "../../parts/time.tsx";
import { nameOf } from "../members/roles.ts";
import { useReleaseTitles } from "../releases/release-titles.ts";

type ProjectEvent = ResponseBody<"listProjectEvents">["events"][number];

/** Events of a project, the latest first. @param limit the events of a page */
function useEvents(slug: string, limit: number) {
  const { api } = useDashboard();
  return useList(`history of ${slug}`, async (cursor) => {
    const query = { cursor, limit: String(limit) };
    const page = await api.call("GET /projects/:slug/events", { params: { slug }, query });
    return { items: page.events, nextCursor: page.next_cursor };
  });
}

/** All that happened in a project. */
export function History({ slug }: { slug: string }) {
  const list = useEvents(slug, 20);
  const titleOf = useReleaseTitles(slug);
  const row = useCallback((event: ProjectEvent) => <EventRow {...{ slug, event, titleOf }} />, [slug, titleOf]);
  return (
    <section class="grid">
      <h2>What happened</h2>
      <List list={list} label="History" keyOf={idOf} empty={<p class="hint">Nothing yet.</p>} row={row} />
    </section>
  );
}

const eventsShown = 3;

/** The beginning of it, beside the latest releases. @param version another one after each change of the project, to which it belongs then */
export function LatestEvents({ slug, version }: { slug: string; version: string }) {
  const { items, problem, reload } = useEvents(slug, eventsShown);
  const shown = useRef(version);
  useEffect(() => {
    if (shown.current !== version) void reload();
    shown.current = version;
  }, [version]);
  const titleOf = useReleaseTitles(slug, version);
  return (
    <section class="card" aria-labelledby="history">
      <div class="titled">
        <h2 id="history">What happened</h2>
        <a class="more-link" href={`/projects/${slug}/history`}>
          All<span class="visually-hidden"> that happened</span>
        </a>
      </div>
      {problem && <p role="alert">{problem}</p>}
      {items && (
        <ul class="rows in-card">
          {items.map((event) => (
            <li key={event.id} class="row">
              <EventRow {...{ slug, event, titleOf }} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

interface EventRowProps {
  readonly slug: string;
  readonly event: ProjectEvent;
  readonly titleOf: (release: string) => string;
}

function EventRow({ slug, event, titleOf }: EventRowProps) {
  const { at, release_id: release, token_id: token } = event;
  const title = release && (
    <a href={`/projects/${slug}/releases#${rowId(release)}`}>
      <bdi>{titleOf(release)}</bdi>
    </a>
  );
  return (
    <div class="row-main">
      <p>
        <b>
          <bdi>{actorOf(event)}</bdi>
        </b>{" "}
        {deedOf(event, title)}
      </p>
      <p class="meta">
        <Time at={at} />
        {token && <span>with a token</span>}
      </p>
    </div>
  );
}

function actorOf({ type, by, publisher_id: publisher }: ProjectEvent): string {
  if (by) return nameOf(by);
  if (type === "project_suspended" || type === "project_reinstated") return "The operator";
  return publisher === undefined ? "Somebody" : "A CI job";
}

/** Rest of the sentence after the person's name: the deed. */
function deedOf({ type, by, member, role }: ProjectEvent, release: ComponentChildren): ComponentChildren {
  const other = <bdi>{member ? nameOf(member) : "somebody"}</bdi>;
  const isSelf = member?.uid === by?.uid;
  switch (type) {
    case "project_created":
      return "created the project";
    case "project_edited":
      return "changed the settings";
    case "project_received":
      return "took the project over";
    case "project_suspended":
      return "suspended the project";
    case "project_reinstated":
      return "let the project be played again";
    case "invitation_created":
      return (
        <>
          invited {other} as {role}
        </>
      );
    case "member_added":
      return isSelf ? (
        `joined as ${role}`
      ) : (
        <>
          added {other} as {role}
        </>
      );
    case "member_removed":
      return isSelf ? "left the project" : <>removed {other}</>;
    case "member_role_changed":
      return (
        <>
          made {other} {role}
        </>
      );
    case "publisher_added":
      return "let CI jobs publish";
    case "publisher_removed":
      return "removed CI jobs that may publish";
    case "release_published":
      return <>made {release} live</>;
    case "release_unpublished":
      return "took the game offline";
    case "release_withdrawn":
      return <>deleted {release}</>;
    default:
      return `– ${eventsInWords[type]}`;
  }
}
