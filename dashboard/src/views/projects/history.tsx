import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useRef } from "preact/hooks";
import { clientsInWords, eventsInWords, scheduleEndsInWords } from "../../../../contract/api/accounts/event-words.ts";
import type { Client, ResponseBody } from "../../../../contract/client.ts";
import { useDashboard } from "../../dashboard.ts";
import { exactTime } from "../../format.ts";
import { idOf, List, type ListPage, useList } from "../../parts/list.tsx";
import { Time } from "../../parts/time.tsx";
import { useProjectChanged } from "../../projects.ts";
import type { Release } from "../../resources.ts";
import { nameOf } from "../members/roles.ts";
import { Origin } from "../releases/provenance.tsx";
import { releaseUrl, titleIn } from "../releases/release-titles.ts";

export type ProjectEvent = ResponseBody<"listProjectEvents">["events"][number];

/** Events of a project, the latest first. @param limit the events of a page */
function useEvents(slug: string, limit: number) {
  const { api } = useDashboard();
  const list = useList(`history of ${slug}`, (cursor) => eventsPage(api, slug, limit, cursor));
  useProjectChanged(slug, () => void list.reload());
  return list;
}

async function eventsPage(
  client: Client,
  slug: string,
  limit: number,
  cursor?: string,
): Promise<ListPage<ProjectEvent>> {
  const query = { cursor, limit: String(limit) };
  const page = await client.call("GET /projects/:slug/events", { params: { slug }, query });
  return { items: page.events, nextCursor: page.next_cursor };
}

interface HistoryProps {
  readonly slug: string;
  /** The latest releases of the project, for their titles; undefined until they are read. */
  readonly releases: readonly Release[] | undefined;
}

/** All that happened in a project. */
export function History({ slug, releases }: HistoryProps) {
  const list = useEvents(slug, 20);
  const titleOf = useCallback((id: string) => titleIn(releases, id), [releases]);
  const row = useCallback((event: ProjectEvent) => <EventRow {...{ slug, event, titleOf }} />, [slug, titleOf]);
  return (
    <section class="grid">
      <h2>What happened</h2>
      <List list={list} label="History" keyOf={idOf} empty={<p class="hint">Nothing yet.</p>} row={row} />
    </section>
  );
}

const eventsShown = 3;

/** The page of them that {@link LatestEvents} shows. */
export function latestEvents(client: Client, slug: string): Promise<ListPage<ProjectEvent>> {
  return eventsPage(client, slug, eventsShown);
}

/** The beginning of it, beside the latest releases. @param version another one after each change of the project, to which it belongs then */
export function LatestEvents({ slug, releases, version }: HistoryProps & { readonly version: string }) {
  const { items, problem, reload } = useEvents(slug, eventsShown);
  const shown = useRef(version);
  useEffect(() => {
    if (shown.current !== version) void reload();
    shown.current = version;
  }, [version]);
  const titleOf = (id: string) => titleIn(releases, id);
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
  const { at, message, release_id: release, token_id: token, token_name: name, client } = event;
  const title = release === undefined ? "" : titleOf(release);
  return (
    <div class="row-main">
      <p>
        <EventSentence {...{ slug, event, titleOf }} />
      </p>
      {message && !title.includes(message) && <p class="clipped">{message}</p>}
      <p class="meta">
        <Time at={at} />
        <Origin {...event} />
        {token && (
          <span>
            {isOfToken(event) ? "" : "with "}
            {name === undefined ? "a token" : <bdi>the token {name}</bdi>}
            {client && `, ${clientsInWords[client]}`}
          </span>
        )}
      </p>
    </div>
  );
}

/** Who did what: "Grace made Release #7 live". */
export function EventSentence({ slug, event, titleOf }: EventRowProps) {
  const { release_id: release } = event;
  const link = release && (
    <a href={releaseUrl(slug, release)}>
      <bdi>{titleOf(release)}</bdi>
    </a>
  );
  return (
    <>
      <b>
        <bdi>{actorOf(event)}</bdi>
      </b>{" "}
      {deedOf(event, link)}
    </>
  );
}

/** Whether the token is not the one that was used, but the one that it is about. */
function isOfToken({ type }: ProjectEvent): boolean {
  return type === "token_refused" || type === "token_taken_again";
}

function actorOf({ type, by, publisher_id: publisher }: ProjectEvent): string {
  if (by) return nameOf(by);
  if (type === "project_suspended" || type === "project_reinstated") return "The operator";
  if (publisher !== undefined) return "A CI job";
  return type === "schedule_ended" ? "The service" : "Somebody";
}

/** Rest of the sentence after the person's name: the deed. */
function deedOf(event: ProjectEvent, release: ComponentChildren): ComponentChildren {
  const { type, act, by, member, role, scheduled_for: time, schedule_end: end } = event;
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
    case "token_refused":
      return isSelf ? "refused a token here" : <>refused a token of {other} here</>;
    case "token_taken_again":
      return isSelf ? "let a refused token act again" : <>let a refused token of {other} act again</>;
    case "publisher_added":
      return "let CI jobs publish";
    case "publisher_removed":
      return "removed CI jobs that may publish";
    case "preview_opened":
      return <>opened a preview of {release}</>;
    case "release_published":
      if (act === "publication") return <>published {release}</>;
      return act === "roll_back" ? <>made {release} live again</> : <>made {release} live</>;
    case "release_unpublished":
      return "took the game offline";
    case "release_edited":
      return <>edited what is new in {release}</>;
    case "release_withdrawn":
      return <>deleted {release}</>;
    case "release_scheduled":
      return (
        <>
          scheduled {release}
          {time && ` for ${exactTime(time)}`}
        </>
      );
    case "schedule_cancelled":
      return <>cancelled the schedule of {release}</>;
    case "schedule_ended":
      return (
        <>
          ended the schedule of {release}
          {end && `: ${scheduleEndsInWords[end]}`}
        </>
      );
    default:
      return `– ${eventsInWords[type]}`;
  }
}
