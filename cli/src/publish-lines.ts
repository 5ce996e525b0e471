import { settingInWords, settingNames } from "../../contract/api/releases/setting-words.ts";
import { adviceInWords } from "../../contract/folder/advice.ts";
import type { ProjectFile } from "../../contract/folder/project-file.ts";
import { fromLiveLines } from "./publish/from-live.ts";
import { endedScheduleLines, waitingLines } from "./publish/going-live.ts";
import { type ExcludedPath, leftOutLine } from "./publish/left-out.ts";
import type { Outcome } from "./publish/publish.ts";
import { nameOfRelease } from "./release-lines.ts";
import { count, grouped, humanBytes, minute, printable, type styles } from "./text.ts";

/** Facts of a publication that the command knows beside its outcome. */
export interface PublicationFacts {
  readonly slug: string;
  readonly folder: string;
  readonly seconds: number;
  /** URL at which it is played. */
  readonly url: string;
  /** The project that the command line names. */
  readonly named: string | undefined;
  /** The svc.toml that was read. */
  readonly file: ProjectFile;
  readonly leftOut: readonly ExcludedPath[];
}

type Style = ReturnType<typeof styles>;

/** The result of svc publish as it prints it. */
export function outcomeLines(outcome: Outcome, facts: PublicationFacts, style: Style): string[] {
  const { kind, fromLive } = outcome;
  const details = [
    leftOutLine(facts.leftOut),
    kind === "dry_run" ? undefined : changedLine(outcome, facts.file),
    ...fromLiveLines(fromLive),
    kind === "published" ? nextLine(outcome, facts.named) : undefined,
  ];
  return [...resultLines(outcome, facts, style), ...details.filter((line) => line !== undefined).map(style.dim)];
}

function resultLines(outcome: Outcome, { slug, folder, seconds, url }: PublicationFacts, style: Style): string[] {
  const { opened, kind, releaseId, files, bytes } = outcome;
  const release = nameOfRelease({ ...outcome, id: releaseId ?? "" });
  if (kind === "dry_run") return dryRunLines(outcome, slug, style);
  if (kind === "unchanged") return [`Nothing to do: ${folder} is live as release ${release} of ${slug}.`, url];
  if (kind === "previewed") return previewLines(outcome, slug, style);
  if (outcome.review) return [uploadedLine(outcome, slug, style), ...waitingLines(slug, outcome.review)];
  return [
    `${style.green("Published")} ${count(files, "file")} (${humanBytes(bytes)}) as release ${release} of ${slug}: ${changesOf(opened)}.`,
    style.dim(sentLine(outcome, seconds)),
    ...returningLines(outcome),
    ...endedScheduleLines(outcome),
    url,
  ];
}

function uploadedLine({ files, bytes, opened, releaseId }: Outcome, slug: string, { green }: Style): string {
  return `${green("Uploaded")} ${count(files, "file")} (${humanBytes(bytes)}) as release ${releaseId} of ${slug}: ${changesOf(opened)}.`;
}

function previewLines(outcome: Outcome, slug: string, style: Style) {
  const { releaseId, playUrl, expiresAt } = outcome;
  return [
    uploadedLine(outcome, slug, style),
    `What is live stays. The preview expires on ${minute(expiresAt ?? "")} UTC; svc live ${releaseId} makes it live.`,
    ...(playUrl === null ? [] : [playUrl]),
  ];
}

function dryRunLines(outcome: Outcome, slug: string, { green, yellow, red, dim }: Style): string[] {
  const { opened, files, bytes, picture, sent, known } = outcome;
  const kinds = [
    ["+", green, opened.added],
    ["~", yellow, opened.changed],
    ["-", red, opened.removed],
  ] as const;
  const toSend =
    known > 0 ? `${ofAll(sent.bytes, known)} to send; the rest is on the server.` : `${sentInWords(sent)} to send.`;
  return [
    ...kinds.flatMap(([mark, colour, { count: all, paths }]) => [
      ...paths.map((name) => colour(`${mark} ${printable(name)}`)),
      ...(all > paths.length ? [colour(`${mark} and ${grouped(all - paths.length)} more`)] : []),
    ]),
    `${count(files, "file")} (${humanBytes(bytes)}) for ${slug}: ${changesOf(opened)}, ${grouped(opened.unchanged.count)} unchanged; ${toSend}`,
    ...returningLines(outcome),
    ...opened.changed_settings.map((setting) => yellow(`~ ${changedSetting(opened.settings, setting)}`)),
    dim(
      picture === undefined
        ? "It has no picture in lists: a cover.png of at most 2 MiB would be one."
        : `${printable(picture)} is its picture in lists.`,
    ),
    ...(outcome.isNewProject ? [`The project ${slug} does not exist yet; publishing creates it.`] : []),
    dim("This was a dry run: nothing was changed."),
  ];
}

/** Line that says how to take it back, and where to look. @param named the project that the command line names */
function nextLine({ previousRelease }: Outcome, named: string | undefined): string {
  const project = named === undefined ? "" : ` -p ${named}`;
  const undo =
    previousRelease === null ? `svc offline${named === undefined ? "" : ` ${named}`}` : `svc rollback${project}`;
  return `${undo} undoes it · svc open${project} plays it`;
}

/** Line about settings that differ from the live release's; undefined if none does. */
function changedLine({ opened }: Outcome, file: ProjectFile): string | undefined {
  const { changed_settings: names, current_release: live, settings } = opened;
  if (live === null || names.length === 0) return undefined;
  const words = names.map(
    (name) => changedSetting(settings, name) + (file[name] === undefined ? "" : ", as svc.toml says"),
  );
  return `Changed settings: ${words.join("; ")}.`;
}

/** The dashboard's word, and the one of svc.toml and the API. */
function changedSetting(settings: Outcome["opened"]["settings"], name: keyof Outcome["opened"]["settings"]): string {
  return `${settingNames[name]} (${name}): ${printable(settingInWords(settings, name))}`;
}

function sentInWords({ files, variants, deltas, bytes }: Outcome["sent"]): string {
  const parts = [
    count(files, "file"),
    ...(variants === 0 ? [] : [`${variants} compressed cop${variants === 1 ? "y" : "ies"}`]),
    ...(deltas === 0 ? [] : [count(deltas, "delta")]),
  ];
  return `${parts.join(" and ")} (${humanBytes(bytes)})`;
}

function returningLines({ opened: { returning_players: load } }: Outcome): string[] {
  // Null if deltas save nothing.
  if (load === null) return [];
  return [
    `Players who have the last release load ${humanBytes(load.bytes)} instead of ${humanBytes(load.without_deltas)}${framesNote(load)}.`,
  ];
}

/** Chromium uses no dictionary in a frame of another site, where portals play. */
function framesNote({ bytes, without_deltas }: NonNullable<Outcome["opened"]["returning_players"]>): string {
  return bytes < without_deltas ? "; in a frame on another site, such as a portal, they load all of it" : "";
}

function sentLine({ sent, known }: Outcome, seconds: number): string {
  const time = `in ${seconds.toFixed(1)} s`;
  return known > 0
    ? `Sent ${ofAll(sent.bytes, known)} ${time}; the rest is on the server.`
    : `Sent ${sentInWords(sent)} ${time}.`;
}

function ofAll(sent: number, known: number): string {
  return `${humanBytes(sent)} of ${humanBytes(sent + known)}`;
}

function changesOf({ added, changed, removed }: Outcome["opened"]): string {
  return `${grouped(added.count)} added, ${grouped(changed.count)} changed, ${grouped(removed.count)} removed`;
}

/** State of the release afterwards; null if a dry run opened none. */
const statuses = {
  published: "live",
  unchanged: "live",
  waiting: "waiting",
  previewed: "open",
  dry_run: null,
} as const satisfies Record<Outcome["kind"], string | null>;

/** The result of svc publish as --json prints it. */
export function outcomeDocument(
  outcome: Outcome,
  facts: { slug: string; api: string; seconds: number; url: string; leftOut: readonly ExcludedPath[] },
) {
  const { slug, api, seconds, url, leftOut } = facts;
  const { opened, kind, releaseId, number, previousRelease, files, bytes, sent, ignored, secrets } = outcome;
  return {
    event: kind,
    status: statuses[kind],
    project: slug,
    api,
    release: releaseId,
    number,
    previous_release: previousRelease,
    files,
    bytes,
    picture: outcome.picture ?? null,
    ...(kind === "dry_run" && { creates_project: outcome.isNewProject }),
    added: opened.added,
    changed: opened.changed,
    removed: opened.removed,
    unchanged: opened.unchanged,
    ...(kind === "dry_run" ? { to_send: sent, sent: { files: 0, variants: 0, deltas: 0, bytes: 0 } } : { sent }),
    kept_out: { secrets, ignored: ignored.length },
    left_out: leftOut.slice(0, 1_000),
    settings: opened.settings,
    changed_settings: opened.changed_settings,
    from_live: outcome.fromLive,
    advice: outcome.advice.slice(0, 1_000).map((advice) => ({
      code: advice.code,
      message: adviceInWords(advice),
      places: advice.places.slice(0, 1_000),
    })),
    returning_players: opened.returning_players,
    seconds: Number(seconds.toFixed(3)),
    url,
    play_url: outcome.playUrl,
    edge: outcome.edge,
    ...(kind === "previewed" && { preview_ends_at: outcome.expiresAt }),
    ...(outcome.review && { review_url: outcome.review.url }),
  };
}
