import type { Delta } from "../contract/api/releases/manifest-rules.ts";
import { dictionaryPath } from "../contract/api/releases/release-settings.ts";
import type { Client } from "../contract/client.ts";
import type { Advice } from "../contract/folder/advice.ts";
import { knownParts } from "../contract/folder/chunks.ts";
import { allKnownBytes, type KnownParts } from "../contract/folder/known-parts.ts";
import { type Patience, unlessAborted } from "../contract/retries.ts";
import { assertStillDecided, type Beginning } from "./beginning.ts";
import { type CopyFacts, CopyMaker, type CopyStore } from "./copies.ts";
import { type DeltaMaker, deltaSources } from "./deltas.ts";
import type { Activation, PreviewSettings } from "./going-live.ts";
import { adviceBesideLive } from "./live-advice.ts";
import { type Copies, copiesOf, manifestFiles } from "./manifest.ts";
import { openedInNewProject } from "./new-project.ts";
import type { Platform, Sender } from "./ports.ts";
import { chosenFiles, type PreparedRelease, type PrepareOptions, prepare } from "./prepare.ts";
import { type Progress, type Tally, tallyOf } from "./progress.ts";
import { type ReleaseBody, type ReleaseDescription, releaseBody } from "./release.ts";
import { assertRoom } from "./room.ts";
import type { SourceFile } from "./source.ts";
import { bytesToSend, type OpenedRelease, openRelease, uploadRelease } from "./upload-release.ts";

/*
 * From the files of a folder to a release that players see, without a stop: a program that has the files' bytes at hand runs this whole. A
 * page, where a person looks at each step, has the steps themselves.
 */

/** A file as it is sent. */
type SentFile<File extends SourceFile> = File & CopyFacts;

/** What a publication needs of the program that it is in. */
interface PublishPorts<File extends SourceFile> {
  readonly client: Client;
  readonly patience: Patience;
  readonly signal: AbortSignal;
  readonly progress: Progress;
  readonly platform: Platform;
  readonly store: CopyStore<File> & {
    /** A file with these bytes. */
    put(name: string, bytes: Uint8Array<ArrayBuffer>): File;
  };
  readonly deltas: DeltaMaker<File>;
  /** Reads an index from the URL that the API gives. */
  readIndex(url: string): Promise<Uint8Array>;
  openSender(signal: AbortSignal, files: readonly SentFile<File>[]): Sender<SentFile<File>>;
  /** See `uploadRelease`. */
  readonly maxPlainBytes?: number;
}

/**
 * Release that must be live until the new one is: this one; null: none; undefined: the one that the files were compared with, so that of
 * two publications at once the later does not take back the changes of the earlier one; false: whichever.
 */
export type Expectation = string | null | undefined | false;

export interface PublishOptions<File extends SourceFile>
  extends PublishPorts<File>,
    Pick<PrepareOptions<File>, "file" | "words" | "choices"> {
  readonly slug: string;
  readonly beginning: Beginning;
  /** Takes nothing from the project, and leaves nothing for its next publication. */
  readonly isFresh: boolean;
  readonly description: ReleaseDescription;
  readonly isDryRun: boolean;
  /** Whether the project does not exist yet, in a dry run. */
  readonly isNewProject?: boolean;
  /** Opens a preview and leaves what is live; undefined: makes the release live. */
  readonly preview: PreviewSettings | undefined;
  readonly expectCurrent: Expectation;
  /** Whether a CI job takes the place of a later run's release too. */
  readonly replacesLaterRun?: boolean;
  /** Advice about the choice of the files. */
  readonly advice: readonly Advice[];
  /** Called with likely mistakes, as soon as they are found. */
  onAdvice(advice: readonly Advice[]): void;
  /** Called with what the release changes, before anything is sent. What it throws ends the publication. */
  onCompared(opened: OpenedRelease): void;
  /** Called when the release is about to go live or its preview to open: from here on it cannot be stopped. */
  onActivation(): void;
}

/** Files, and beside them their compressed copies and deltas; the bytes are of all. */
interface UploadTally extends Tally {
  readonly variants: number;
  readonly deltas: number;
}

type Activated = Omit<Activation, "release">;

/** The result of publishing, of opening a preview, or of a dry run. */
export interface Publication extends Activated, Tally {
  readonly kind: "published" | "waiting" | "previewed" | "unchanged" | "dry_run";
  readonly opened: OpenedRelease;
  /** Null for a dry run that would open a new release. */
  readonly releaseId: string | null;
  /** Number of the release; null if it was never live. */
  readonly number: number | null;
  /** The path of what lists show. */
  readonly picture: string | undefined;
  /** Tally of the files that were sent, or for a dry run of those that would be. */
  readonly sent: UploadTally;
  /** Bytes of these files that the service has already, in parts of other files. */
  readonly known: number;
  readonly advice: readonly Advice[];
}

/**
 * Publishes files: hashes and compresses them, opens a release or continues an open one, uploads what the service does not have, and makes
 * the release live in one step, or opens its preview. Until that step, and after any failure, the earlier release is live.
 *
 * @throws NoRoom, Refused, DecisionConflict, ReleaseReplaced, ApiError, NetworkError, what the sender explains, or the signal's reason
 */
export async function publish<File extends SourceFile>(
  listed: readonly File[],
  options: PublishOptions<File>,
): Promise<Publication> {
  await assertRoom(options, chosenFiles(listed, options.choices));
  const prepared = await prepare(listed, { ...options, ofBytes: options.store.put });
  const advice = [...options.advice, ...prepared.advice];
  options.onAdvice(advice);
  return await publishPrepared({ ...prepared, advice }, new CopyMaker(options), options);
}

async function publishPrepared<File extends SourceFile>(
  prepared: PreparedRelease<File>,
  maker: CopyMaker<File>,
  options: PublishOptions<File>,
): Promise<Publication> {
  const { large, ...copies } = await copiesOf(prepared.files, maker, options.platform);
  const content: Content<File> = {
    prepared,
    maker,
    copies: { ...copies, deltas: await deltasOf(prepared, copies, options) },
  };
  const compared = await compare(content, options);
  const { opened, body, advice } = compared;
  const { release } = opened;
  const facts = {
    ...{ opened, ...tallyOf(body.files), picture: prepared.picture, advice },
    ...{ releaseId: release?.id ?? null, number: release?.number ?? null, playUrl: release?.play_url ?? null },
    ...{ previousRelease: opened.current_release, edge: null, expiresAt: null },
  };
  if (release?.status === "live" && !options.isDryRun) return { ...facts, kind: "unchanged", sent: nothing, known: 0 };
  const known = await unlessAborted(knownParts(opened, large, options.readIndex), options.signal);
  if (options.isDryRun)
    return { ...facts, kind: "dry_run", ...toSend(compared, content, options, allKnownBytes(large, known)) };
  const published = await send({ ...compared, known }, content, options);
  // This version of Brotli makes other bytes than were remembered, so this is another release.
  if (published === undefined) return await publishPrepared(prepared, maker, options);
  const kind = options.preview ? "previewed" : published.review ? "waiting" : "published";
  return { ...facts, kind, ...published };
}

/** A release with everything that is sent of it. */
interface Content<File extends SourceFile> {
  readonly prepared: PreparedRelease<File>;
  readonly maker: CopyMaker<File>;
  readonly copies: Required<Copies>;
}

/** Deltas from the files of the live release and of those before it. A dry run says which these are. */
async function deltasOf<File extends SourceFile>(
  prepared: PreparedRelease<File>,
  copies: Copies,
  options: PublishOptions<File>,
): Promise<ReadonlyMap<string, readonly Delta[]>> {
  const { client, slug, deltas, beginning, isFresh, isNewProject } = options;
  const { files, settings } = prepared;
  const candidates = files.filter((file) => deltas.canMake(file) && dictionaryPath(file, settings) !== undefined);
  if (isNewProject || (!isFresh && beginning.current === null) || candidates.length === 0) return new Map();
  const body = bodyOf(prepared, copies, { ...options, isDryRun: true });
  const { older_files: older } = await openRelease(client, slug, body);
  const sources = deltaSources(candidates, older, copies.variants);
  return sources.length === 0 ? new Map() : await deltas.of(sources);
}

/** @throws Refused if the list of files is too long for a request */
function bodyOf<File extends SourceFile>(
  prepared: PreparedRelease<File>,
  copies: Copies,
  { expectCurrent, isFresh, isDryRun, description }: PublishOptions<File>,
): ReleaseBody {
  return releaseBody({
    ...{ ...prepared, description, isDryRun },
    choices: isFresh ? undefined : prepared.choices,
    files: manifestFiles(prepared, copies),
    expectCurrent: expectCurrent === false ? undefined : expectCurrent,
  });
}

interface ComparedRelease {
  readonly body: ReleaseBody;
  readonly opened: OpenedRelease;
  /** With that about changes to the live release. */
  readonly advice: readonly Advice[];
}

/** Opens the release, or has a dry run say what it would change. */
async function compare<File extends SourceFile>(
  { prepared, copies }: Content<File>,
  options: PublishOptions<File>,
): Promise<ComparedRelease> {
  const { client, slug, beginning, isFresh, expectCurrent } = options;
  const body = bodyOf(prepared, copies, options);
  const opened = options.isNewProject
    ? openedInNewProject(body.files, prepared.settings)
    : await openRelease(client, slug, body);
  if (!isFresh && expectCurrent === undefined && opened.current_release !== beginning.current)
    await assertStillDecided(client, slug, beginning);
  const withDeltas = new Set(body.files.filter((file) => file.deltas).map(({ path }) => path));
  const besideLive = await adviceBesideLive(options, { files: prepared.files, withDeltas }, opened);
  options.onAdvice(besideLive);
  options.onCompared(opened);
  return { body, opened, advice: [...prepared.advice, ...besideLive] };
}

const nothing: UploadTally = { files: 0, variants: 0, deltas: 0, bytes: 0 };

/** What would be sent, of which the service has so many bytes in other files. */
function toSend<File extends SourceFile>(
  { opened, body }: ComparedRelease,
  { prepared: { files }, copies: { indexes, deltas } }: Content<File>,
  { maxPlainBytes }: PublishPorts<File>,
  known: number,
): Pick<Publication, "sent" | "known"> {
  const { missing } = opened;
  const lacking = new Set(missing);
  const countOf = (some: Iterable<{ readonly sha256: string }>) =>
    new Set([...some].map(({ sha256 }) => sha256).filter((sha256) => lacking.has(sha256))).size;
  const [ofFiles, ofDeltas] = [countOf(files), countOf([...deltas.values()].flat())];
  const variants = missing.length - ofFiles - ofDeltas - countOf(indexes.values());
  const bytes = bytesToSend(opened, body, { known, ...(maxPlainBytes !== undefined && { maxPlainBytes }) });
  return { sent: { files: ofFiles, variants, deltas: ofDeltas, bytes }, known };
}

/** Uploads what is missing and makes the release live, or opens its preview. @returns undefined if a variant has other bytes than were remembered */
async function send<File extends SourceFile>(
  compared: ComparedRelease & { readonly known: KnownParts },
  content: Content<File>,
  options: PublishOptions<File>,
): Promise<Pick<Publication, keyof Activated | "number" | "sent" | "known"> | undefined> {
  const { preview, expectCurrent, replacesLaterRun = false } = options;
  const current = expectCurrent === undefined ? compared.opened.current_release : expectCurrent;
  const live = { expectCurrent: current === false ? undefined : current, replacesLaterRun };
  let sent = nothing;
  const uploaded = await uploadRelease<SentFile<File>>({
    ...{ ...options, ...compared },
    filesOf: async (missing) => {
      const files = await missingFiles(missing, content, options);
      if (files === undefined) return undefined;
      const { originals, variants, deltas, indexes } = files;
      sent = {
        files: sent.files + originals.length,
        variants: sent.variants + variants.length,
        deltas: sent.deltas + deltas.length,
        bytes: 0,
      };
      return [...originals, ...variants, ...deltas, ...indexes];
    },
    destination: preview ? { preview } : live,
  });
  if (uploaded === undefined) return undefined;
  const { amount, activation } = uploaded;
  const { release, ...activated } = activation;
  return { ...activated, number: release.number, sent: { ...sent, bytes: amount.sent }, known: amount.known };
}

/** What of a release has these hashes, with its bytes. @returns undefined if a variant has other bytes than were remembered */
async function missingFiles<File extends SourceFile>(
  missing: ReadonlySet<string>,
  { prepared: { files }, maker, copies: { indexes } }: Content<File>,
  { store, deltas }: PublishPorts<File>,
) {
  const variants = await maker.toUpload(files, missing);
  if (variants === undefined) return undefined;
  const bySha256 = new Map(files.map((file) => [file.sha256, file]));
  return {
    variants,
    originals: [...missing].flatMap((sha256) => bySha256.get(sha256) ?? []),
    deltas: deltas.toUpload(missing),
    indexes: [...indexes.values()]
      .filter(({ sha256 }) => missing.has(sha256))
      .map(({ sha256, bytes }) => ({ ...store.put("index of a large file", bytes), sha256 })),
  };
}
