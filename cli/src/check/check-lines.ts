import type { Row } from "../columns.ts";
import { count, humanBytes } from "../text.ts";
import type { Check } from "./check-folder.ts";
import type { ProjectCheck } from "./check-project.ts";
import type { Problem } from "./problems.ts";
import type { Loaded, Visit } from "./visit.ts";

/* The words of `svc check`. */

export const visitHeadings = ["screen", "first frame", "until then", "in all", "memory"];

export function visitRows({ visits }: Check): Row[] {
  return visits.map((visit) => ({ cells: visitCells(visit.screen, visit) }));
}

function visitCells(
  name: string,
  { firstFrameMilliseconds: first, atFirstFrame, inAll, memoryBytes }: Visit,
): string[] {
  return [
    name,
    first === undefined ? "unknown" : `${(first / 1_000).toFixed(1)} s`,
    first === undefined ? "" : loaded(atFirstFrame),
    loaded(inAll),
    memoryBytes === undefined ? "unknown" : humanBytes(memoryBytes),
  ];
}

/** A table in Markdown for the summary of a CI job: the live release, if it was visited, and what is published. */
export function summaryTable({ visits }: Check, liveVisit: Visit | undefined): string {
  const rows = [
    visitHeadings,
    visitHeadings.map(() => "---"),
    ...(liveVisit === undefined ? [] : [visitCells(`${liveVisit.screen}, before`, liveVisit)]),
    ...visits.map((visit) => visitCells(`${visit.screen}, now`, visit)),
  ];
  return rows.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function loaded({ requests, bytes }: Loaded): string {
  return `${count(requests, "request")}, ${humanBytes(bytes)}`;
}

export const portalHeadings = ["elsewhere", "by its rules"];

export function portalRows({ portals }: Check): Row[] {
  return portals.map(({ name, broken: [first = "fits", ...others] }) => ({
    cells: [name, others.length === 0 ? first : `${first}; and ${others.length} more`],
  }));
}

/** A problem, with the first of its places. */
export function problemLine({ message, places, screens }: Problem): string {
  const only = screens.length === 1 ? ` (${screens[0]} only)` : "";
  const shown = places.slice(0, maxPlaces).map((place) => `\n  - ${place}`);
  const more = places.length > maxPlaces ? `\n  - and ${places.length - maxPlaces} more` : "";
  return `${message}${only}${shown.join("")}${more}`;
}

const maxPlaces = 10;

/** The document of `--json`. Sizes are bytes, as sent. */
export function checkDocument({ check, liveVisit, browser }: Pick<ProjectCheck, "check" | "liveVisit" | "browser">) {
  const { starts, visits, problems, warnings, files, portals } = check;
  return {
    starts,
    browser,
    files: files.length,
    bytes: files.reduce((sum, { size }) => sum + size, 0),
    visits: visits.map(visitDocument),
    before: liveVisit === undefined ? null : visitDocument(liveVisit),
    problems,
    warnings,
    portals: portals.map(({ name, source, readOn, broken }) => ({ name, source, read_on: readOn, broken })),
  };
}

function visitDocument({ screen, firstFrameMilliseconds, atFirstFrame, inAll, memoryBytes }: Visit) {
  return {
    screen,
    first_frame_ms: firstFrameMilliseconds ?? null,
    until_first_frame: atFirstFrame,
    in_all: inAll,
    memory_bytes: memoryBytes ?? null,
  };
}
