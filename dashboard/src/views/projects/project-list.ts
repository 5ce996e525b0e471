import { useEffect, useRef, useState } from "preact/hooks";
import { serverNow } from "../../../../contract/api/time/server-time.ts";
import type { Client } from "../../../../contract/client.ts";
import type { Api } from "../../api.ts";
import { useDashboard } from "../../dashboard.ts";
import { messageOf } from "../../messages.ts";
import type { Project } from "../../resources.ts";

/** A project of the list. */
export interface ListedProject extends Project {
  /** In the last days (`limits.recentPlaysDays`). */
  readonly plays: number;
  readonly previews: number;
  readonly people: number;
}

interface Listing {
  readonly items: readonly ListedProject[];
  /** Null if it has several pages. */
  readonly etag: string | null;
}

/** What was read last, of each person who is signed in: who goes back to the list sees it at once, at the same place. */
const listings = new WeakMap<Api, Listing>();

export interface ProjectList {
  /** Undefined until they are read. */
  readonly items: readonly ListedProject[] | undefined;
  readonly problem: string | undefined;
  reload(): Promise<void>;
  /** Reads what is new. @returns the projects as they were and as they are, if something is */
  refresh(client: Client): Promise<readonly [readonly ListedProject[], readonly ListedProject[]] | undefined>;
}

/** All projects of the person. */
export function useProjectList(): ProjectList {
  const { api } = useDashboard();
  const [listing, setListing] = useState(() => listings.get(api));
  const [problem, setProblem] = useState<string>();
  const latest = useRef(0);
  const read = async (client: Client) => {
    latest.current += 1;
    const turn = latest.current;
    const before = listings.get(api);
    const found = await readListing(client, before?.etag ?? null);
    // What was asked for before the last one is older.
    if (found === undefined || turn !== latest.current) return undefined;
    listings.set(api, found);
    setListing(found);
    return [before?.items ?? [], found.items] as const;
  };
  const reload = async () => {
    setProblem(undefined);
    await read(api).catch((error: unknown) => setProblem(messageOf(error)));
  };
  useEffect(() => void reload(), [api]);
  return { items: listing?.items, problem, reload, refresh: read };
}

async function readListing(client: Client, etag: string | null): Promise<Listing | undefined> {
  const first = await client.reread("GET /projects", etag);
  if (first === undefined) return undefined;
  const items: ListedProject[] = [];
  for (let page = first.body; ; ) {
    const { projects, plays, previews, people } = page;
    const count = (of: Readonly<Record<string, number>>, { slug }: Project) => of[slug] ?? 0;
    items.push(
      ...projects.map((project) => ({
        ...project,
        plays: count(plays, project),
        previews: count(previews, project),
        people: count(people, project),
      })),
    );
    if (page.next_cursor === null) return { items, etag: page === first.body ? first.etag : null };
    page = await client.call("GET /projects", { query: { cursor: page.next_cursor } });
  }
}

/** The lists that a person can choose, by the last part of their URLs: which projects each has. */
export const shownLists = {
  all: ["All", () => true],
  live: ["Live", ({ current_release: live, suspension }) => live !== null && suspension === null],
  previews: ["Previews", ({ previews }) => previews > 0],
  offline: ["Not live", ({ current_release: live }) => live === null],
  attention: ["Needs attention", needsAttention],
} as const satisfies Record<string, readonly [title: string, has: (project: ListedProject) => boolean]>;

export type ShownList = keyof typeof shownLists;

/** Whether players do not get what is live. */
export function needsAttention({ suspension, traffic_limited_until: until }: Project): boolean {
  return suspension !== null || isTrafficLimited(until);
}

function isTrafficLimited(until: string | null): boolean {
  return until !== null && Date.parse(until) > serverNow();
}

/** The orders that a person can choose. */
export const orders = {
  changed: ["Last change", (a, b) => Date.parse(b.updated_at) - Date.parse(a.updated_at)],
  name: ["Name", (a, b) => a.name.localeCompare(b.name)],
  plays: ["Plays", (a, b) => b.plays - a.plays],
} as const satisfies Record<string, readonly [title: string, compare: (a: ListedProject, b: ListedProject) => number]>;

export type Order = keyof typeof orders;

/** Whether a project has each word of a search in its name, its address or what its owner says of it. */
export function isFound({ name, slug, description }: Project, search: string): boolean {
  const text = `${name} ${slug} ${description ?? ""}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
