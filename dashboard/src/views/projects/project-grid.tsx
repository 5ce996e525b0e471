import { Play } from "lucide";
import { useEffect, useState } from "preact/hooks";
import { limits } from "../../../../contract/api/limits.ts";
import { counted } from "../../format.ts";
import { GamePicture } from "../../parts/avatar.tsx";
import { Segments } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Lasting, When } from "../../parts/time.tsx";
import { replaceQuery } from "../../router.ts";
import {
  isFound,
  type ListedProject,
  needsAttention,
  type Order,
  orders,
  type ShownList,
  shownLists,
} from "./project-list.ts";

/** A list that is seen at a glance is not filtered. */
const minFiltered = 7;

/** The person's projects as cards, with what finds one among many. What they chose is in the URL, so that it is there again when they go back. */
export function ProjectGrid({ projects }: { projects: readonly ListedProject[] }) {
  const query = new URLSearchParams(location.search);
  const [search, setSearch] = useState(query.get("q") ?? "");
  const [shown, setShown] = useState<ShownList>(() => named(shownLists, query.get("show"), "all"));
  const [order, setOrder] = useState<Order>(() => named(orders, query.get("sort"), "changed"));
  useEffect(
    () => replaceQuery({ q: search, show: shown === "all" ? "" : shown, sort: order === "changed" ? "" : order }),
    [search, shown, order],
  );
  const isFiltered = projects.length >= minFiltered;
  const found = projects.filter((project) => isFound(project, search));
  const items = (isFiltered ? found.filter(shownLists[shown][1]) : projects).toSorted(orders[order][1]);
  // On a phone they are one row if nothing needs attention.
  const isOffered = (name: string) => name !== "attention" || name === shown || projects.some(needsAttention);
  const choices = Object.entries(shownLists)
    .filter(([name]) => isOffered(name))
    .map(([name, [title, has]]) => [name, `${title} ${found.filter(has).length}`] as const);
  return (
    <>
      {isFiltered && (
        <search class="finder">
          <Segments
            legend="Show"
            name="show"
            isCompact
            choices={choices}
            chosen={shown}
            onChosen={(name) => setShown(name as ShownList)}
          />
          <select
            aria-label="Order"
            value={order}
            onChange={({ currentTarget }) => setOrder(currentTarget.value as Order)}
          >
            {Object.entries(orders).map(([name, [title]]) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
          </select>
          <input
            type="search"
            aria-label="Search projects"
            placeholder="Search ( / )"
            value={search}
            onInput={({ currentTarget }) => setSearch(currentTarget.value)}
          />
        </search>
      )}
      <ul class="games" aria-label="Projects">
        {items.map((project) => (
          <li key={project.slug} class="game">
            <Card project={project} />
          </li>
        ))}
      </ul>
      <p class="hint" role="status">
        {items.length === 0 && "No project is like that. Change the search, or show all."}
      </p>
    </>
  );
}

function named<Name extends string>(all: Readonly<Record<Name, unknown>>, name: string | null, otherwise: Name): Name {
  return name !== null && Object.hasOwn(all, name) ? (name as Name) : otherwise;
}

function Card({ project }: { project: ListedProject }) {
  const { slug, name, role, current_release: live, suspension, play_url: url, plays, previews, people } = project;
  return (
    <>
      <GamePicture project={project} size="cover" />
      <div class="game-facts">
        <h2>
          <a href={`/projects/${slug}`} dir="auto">
            {name}
          </a>
        </h2>
        <p class="meta">
          <span>
            <span class={`dot ${needsAttention(project) ? "bad" : live ? "on" : "off"}`} />
            <State project={project} />
          </span>
          {previews > 0 && <span>{counted(previews, "preview")}</span>}
        </p>
        <p class="meta">
          {plays > 0 && (
            <span>
              {counted(plays, "play")} in {limits.recentPlaysDays} days
            </span>
          )}
          {people > 1 && <span>{counted(people, "person", "people")}</span>}
          {role !== "owner" && <span>you are {role === "admin" ? "an admin" : `a ${role}`}</span>}
        </p>
      </div>
      {live && url && !suspension && (
        <a class="game-play" href={url} target="_blank" rel="noreferrer">
          <Icon of={Play} />
          <span class="visually-hidden">Play {name}</span>
        </a>
      )}
    </>
  );
}

function State({ project }: { project: ListedProject }) {
  const { current_release: live, suspension, updated_at: changed } = project;
  if (suspension) return <>Suspended</>;
  if (needsAttention(project)) return <>Traffic used up</>;
  if (live) return <Lasting it="live" since={live.published_at} />;
  return <When it="not live, changed" at={changed} />;
}
