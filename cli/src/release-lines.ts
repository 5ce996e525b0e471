import { settingsInWords } from "../../contract/api/releases/setting-words.ts";
import type { Client, ResponseBody } from "../../contract/client.ts";
import type { Row } from "./columns.ts";
import { UserError } from "./errors.ts";
import { count, humanBytes, minute } from "./text.ts";

export type ListedRelease = ResponseBody<"listReleases">["releases"][number];

export const releaseHeadings = ["RELEASE", "STATUS", "FIRST LIVE (UTC)", "SIZE", "MESSAGE"];

/** One release as `svc releases` shows it. */
export function releaseRow(release: ListedRelease): Row {
  const { status, bytes, files, message, source, provenance, first_published_at: first } = release;
  const { false_copies: falseCopies, changed_settings: changed } = release;
  const details = [
    count(files, "file"),
    falseCopies > 0 &&
      `${falseCopies} compressed cop${falseCopies === 1 ? "y is" : "ies are"} not the file and never sent`,
    commitOf(provenance ?? source),
    provenance && `from ${provenance.provider} ${provenance.repository} by ${provenance.actor}`,
    release.schedule && `goes live ${minute(release.schedule.at)} ${publisher(release.schedule.by)}`.trimEnd(),
    ...(status === "open" ? openSince(release) : history(release)),
  ];
  return {
    cells: [
      nameOfRelease(release),
      statusInWords(release),
      first === null ? "-" : minute(first),
      humanBytes(bytes),
      message?.split("\n")[0] ?? (changed ? settingsInWords(changed) : ""),
    ],
    below: details.filter(Boolean).join(", "),
  };
}

function statusInWords({ status, waiting, schedule }: ListedRelease): string {
  if (schedule) return "scheduled";
  if (status === "open") return waiting ? "waiting" : "open";
  return status === "published" ? "earlier" : status === "withdrawn" ? "deleted" : status;
}

function commitOf(made: { readonly commit: string } | null): string {
  return made ? `commit ${made.commit.slice(0, 7)}` : "";
}

function openSince({ created_at, expires_at, waiting }: ListedRelease): string[] {
  const since = waiting ? `waits since ${minute(waiting.since)} ${publisher(waiting.by)}`.trimEnd() : "";
  return [since || `opened ${minute(created_at)}`, ...(expires_at === null ? [] : [`until ${minute(expires_at)}`])];
}

/** Person who made it live, and since when it is live or deleted. */
function history(release: ListedRelease): string[] {
  const { status, published_at, published_by, first_published_at: first, withdrawn_at } = release;
  const firstBy = publisher(release.first_published_by);
  if (published_at === null) return [];
  if (status === "withdrawn" && withdrawn_at !== null) return [firstBy, `deleted ${minute(withdrawn_at)}`];
  if (published_at === first && status !== "live") return [firstBy];
  const last = `${status === "live" ? "live since" : "again"} ${minute(published_at)}`;
  return published_at === first ? [firstBy, last] : [firstBy, `${last} ${publisher(published_by)}`.trimEnd()];
}

function publisher(by: ListedRelease["published_by"]): string {
  if (by === null) return "";
  if (by.token === null) return `by ${by.name}`;
  return by.token.name === null ? `by ${by.name} with a token` : `by token "${by.token.name}"`;
}

/** "#3", or the id if it was never live. */
export function nameOfRelease({ id, number }: Pick<ListedRelease, "id" | "number">): string {
  return number === null ? id : `#${number}`;
}

/**
 * The id of a release that a person names by its number, as 3 or #3, or by its id.
 *
 * @throws UserError if none of the last 100 releases has this number; ApiError
 */
export async function idOfRelease(client: Client, slug: string, name: string): Promise<string> {
  const number = /^#?(\d{1,9})$/.exec(name)?.[1];
  if (number === undefined) return name;
  const { releases } = await client.call("GET /projects/:slug/releases", { params: { slug }, query: { limit: "100" } });
  const match = releases.find((release) => release.number === Number(number));
  if (match) return match.id;
  throw new UserError(`None of the last 100 releases of ${slug} is #${number}.`, {
    code: "release_not_found",
    next: "svc releases lists them; a release can also be named by its id (svc releases --json).",
  });
}

/** One release in a sentence: its name, when it was live for the first time, its message. */
export function releaseInWords(release: ListedRelease): string {
  const { first_published_at: first } = release;
  const words = [first && `first live ${minute(first)} UTC`, release.message?.split("\n")[0]].filter(Boolean);
  const name = nameOfRelease(release);
  return words.length === 0 ? name : `${name} (${words.join(", ")})`;
}

/**
 * The release that a roll-back without a name makes live: the last one whose first publication was before that of the live
 * one, so that a second roll-back goes further back and never to the release that was rolled back. If none is live, the
 * one that was live last.
 */
export function releaseBefore(
  releases: readonly ListedRelease[],
): { readonly earlier: ListedRelease; readonly live: ListedRelease | undefined } | undefined {
  const live = releases.find(({ status }) => status === "live");
  const liveSince = live?.first_published_at;
  const time = (release: ListedRelease) => (live ? release.first_published_at : release.published_at) ?? "";
  const [earlier] = releases
    .filter((release) => release.status === "published" && (!liveSince || time(release) < liveSince))
    .toSorted((a, b) => (time(a) > time(b) ? -1 : 1));
  return earlier && { earlier, live };
}
