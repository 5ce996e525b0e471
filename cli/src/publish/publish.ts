import type { Delta } from "../../../contract/api/releases/manifest-rules.ts";
import { dictionaryPath } from "../../../contract/api/releases/release-settings.ts";
import { NetworkError } from "../../../contract/api-error.ts";
import type { Client } from "../../../contract/client.ts";
import type { Advice } from "../../../contract/folder/advice.ts";
import { knownParts } from "../../../contract/folder/chunks.ts";
import { unmatchedAdvice } from "../../../contract/folder/ignore-rules.ts";
import { allKnownBytes, type KnownParts } from "../../../contract/folder/known-parts.ts";
import { type ProjectFile, unreadSettings } from "../../../contract/folder/project-file.ts";
import { projectFileWords } from "../../../contract/folder/setting-words.ts";
import type { Patience } from "../../../contract/retries.ts";
import { type Beginning, beginning, freshBeginning } from "../../../publisher/beginning.ts";
import { CopyMaker, mayBeCompressed } from "../../../publisher/copies.ts";
import type { PreviewSettings } from "../../../publisher/going-live.ts";
import { adviceBesideLive } from "../../../publisher/live-advice.ts";
import { type Copies, copiesOf, type Indexes, manifestFiles } from "../../../publisher/manifest.ts";
import { chosenFiles, type PreparedRelease, prepare } from "../../../publisher/prepare.ts";
import { type Tally, tallyOf } from "../../../publisher/progress.ts";
import { Refused } from "../../../publisher/refused.ts";
import { type ReleaseBody, type ReleaseDescription, releaseBody } from "../../../publisher/release.ts";
import type { Selection } from "../../../publisher/selection.ts";
import { type OpenedRelease, openRelease, uploadRelease } from "../../../publisher/upload-release.ts";
import { timeoutMilliseconds } from "../client.ts";
import { UserError } from "../errors.ts";
import { type CopyFolder, openCopyFolder } from "./copy-folder.ts";
import { DeltaMaker } from "./deltas.ts";
import { isPage } from "./folder.ts";
import { gitIgnoredAdvice } from "./git-ignored.ts";
import { type Activation, assertExpected, type Expectation, makeLive, makePreview } from "./going-live.ts";
import { assertPreparableAsDecided, assertStillDecided, type FromLive, fromLive } from "./kept-settings.ts";
import { readIndex } from "./known-parts.ts";
import { type ListingOptions, listed } from "./listing.ts";
import type { HashedFile, LocalFile, SentFile } from "./local-file.ts";
import { nodePlatform } from "./node-platform.ts";
import { explainRefusal } from "./refusal-words.ts";
import { assertRoom } from "./room.ts";
import { createSender } from "./sender.ts";
import { unlessAborted } from "./signals.ts";
import { assertKeepsFiles } from "./unconfirmed.ts";

export interface PublishOptions extends ListingOptions {
  readonly client: Client;
  readonly slug: string;
  /** Whether the svc.toml in the folder is the one that was read. */
  readonly isOwnProjectFile: boolean;
  readonly description: ReleaseDescription;
  readonly isDryRun: boolean;
  /** Opens a preview and leaves what is live; undefined: makes the release live. */
  readonly preview: PreviewSettings | undefined;
  readonly expectCurrent: Expectation;
  /** The svc.toml that was read. */
  readonly file: ProjectFile;
  /** Publishes what is probably a mistake, too. */
  readonly isForced: boolean;
  /** Takes settings from svc.toml alone, and nothing from the live release. */
  readonly isFresh: boolean;
  readonly patience: Patience;
  /** Called when the folder is read and can be published, before its files are hashed and compressed, which may take long. */
  beforeHashing(): Promise<void>;
  /** Called with the paths that are not published because they may contain secrets. */
  onSecrets(paths: readonly string[]): void;
  /** Called with likely mistakes, as soon as they are found. */
  onAdvice(advice: readonly Advice[]): void;
  /** Called when the release is about to go live: from here on it cannot be stopped. */
  onGoingLive(): void;
}

/** The same, with what was decided for the project. */
interface BegunOptions extends PublishOptions {
  readonly begun: Beginning;
}

/** Files, and beside them their compressed copies and deltas; the bytes are of all. */
export interface UploadTally extends Tally {
  readonly variants: number;
  readonly deltas: number;
}

/** The result of publishing, of opening a preview, or of a dry run. */
export interface Outcome extends Activation {
  readonly kind: "published" | "previewed" | "unchanged" | "dry_run";
  readonly opened: OpenedRelease;
  /** Null for a dry run that would open a new release. */
  readonly releaseId: string | null;
  readonly files: number;
  readonly bytes: number;
  /** The path of what lists show. */
  readonly picture: string | undefined;
  /** Tally of the files that were sent, or for a dry run of those that would be. */
  readonly sent: UploadTally;
  /** Bytes of these files that the service has already, in parts of other files. */
  readonly known: number;
  readonly ignored: readonly string[];
  readonly secrets: readonly string[];
  readonly advice: readonly Advice[];
  readonly fromLive: FromLive;
}

/**
 * Publishes a folder: hashes its files, opens a release or continues an open one, uploads the files that the service does
 * not have, and makes the release live in one step, or opens its preview. Until that step, and after any failure, the earlier
 * release is live.
 */
export async function publishFolder(options: PublishOptions): Promise<Outcome> {
  try {
    const listing = await listed(options);
    options.onSecrets(listing.secrets);
    await assertPreparableAsDecided(options, listing.files);
    return await publishListed(options, { ...listing, files: await listing.local() });
  } catch (failure) {
    throw failure instanceof Refused ? explainRefusal(failure, options.folder) : failure;
  }
}

async function publishListed(options: PublishOptions, selection: Selection<LocalFile>): Promise<Outcome> {
  const { client, slug, folder, file, rules, page, signal, isForced, isFresh } = options;
  await unlessAborted(options.beforeHashing(), signal);
  const begun = isFresh ? freshBeginning : await unlessAborted(beginning(client, slug), signal);
  const choices = { ...begun.choices, isForced, ...(page !== undefined && { page }) };
  await unlessAborted(assertRoom(client, slug, chosenFiles(selection.files, choices)), signal);
  const store = openCopyFolder(folder, process.env);
  const shared = { ...options, platform: nodePlatform, store };
  const deltas = new DeltaMaker({ ...options, api: client.api, timeoutMilliseconds: timeoutMilliseconds(process.env) });
  try {
    const prepared = await prepare(selection.files, {
      ...shared,
      choices,
      begun,
      words: projectFileWords,
      ofBytes: store.put,
    });
    const advice = [
      ...unreadSettings(selection.ignored, options.isOwnProjectFile),
      ...unmatchedAdvice(rules),
      ...prepared.advice,
      ...gitIgnoredAdvice(folder, prepared.files),
    ];
    options.onAdvice(advice);
    const paths = selection.files.map(({ path }) => path);
    const rest = { ...selection, store, copies: new CopyMaker(shared), deltas, fromLive: fromLive(begun, file, paths) };
    const outcome = await publishContent({ ...options, begun }, { ...rest, ...prepared, advice });
    store.close();
    return outcome;
  } catch (failure) {
    store.close({ isContinued: signal.aborted || failure instanceof NetworkError });
    throw failure;
  } finally {
    deltas.close();
  }
}

interface Publication extends PreparedRelease<LocalFile> {
  readonly store: CopyFolder;
  readonly copies: CopyMaker<LocalFile>;
  readonly deltas: DeltaMaker;
  readonly ignored: readonly string[];
  readonly secrets: readonly string[];
  readonly fromLive: FromLive;
}

async function publishContent(options: BegunOptions, content: Publication): Promise<Outcome> {
  const { files, picture, ignored, secrets } = content;
  const { variants, indexes, large } = await copiesOf(files, content.copies, nodePlatform);
  const deltas = await deltasOf(options, content, { variants, indexes });
  const body = bodyOf(options, content, { variants, deltas, indexes });
  const opened = await unlessAborted(openRelease(options.client, options.slug, body), options.signal);
  const { begun, isFresh } = options;
  if (!isFresh && options.expectCurrent === undefined && opened.current_release !== begun.current)
    await unlessAborted(assertStillDecided(options.client, options.slug, begun), options.signal);
  const withDeltas = new Set(body.files.filter((file) => file.deltas).map(({ path }) => path));
  const besideLive = await unlessAborted(adviceBesideLive(options, { files, withDeltas }, opened), options.signal);
  options.onAdvice(besideLive);
  const { release } = opened;
  if (!options.isForced && !options.isDryRun && !options.preview && isPage(options.folder))
    assertKeepsFiles(options.folder, opened.removed.count);
  if (release?.status === "live") assertExpected(release.id, options.expectCurrent);
  const common = {
    ...{ opened, ...tallyOf(body.files), picture, ignored, secrets, fromLive: content.fromLive },
    advice: [...content.advice, ...besideLive],
    ...{ releaseId: release?.id ?? null, number: release?.number ?? null, playUrl: release?.play_url ?? null },
    ...{ edge: null, expiresAt: null },
  };
  const { client, signal } = options;
  const read = (url: string) => readIndex(url, client);
  const findKnown = () => unlessAborted(knownParts(opened, large, read), signal);
  if (options.isDryRun)
    return {
      ...common,
      kind: "dry_run",
      previousRelease: opened.current_release,
      ...toSend(opened, { files, indexes, deltas, copied: allKnownBytes(large, await findKnown()) }),
    };
  if (release === null) throw new UserError("The API opened no release.", { code: "unexpected_response" });
  if (release.status === "live")
    return { ...common, kind: "unchanged", previousRelease: release.id, sent: nothing, known: 0 };
  const known = await findKnown();
  const published = await uploadAndGoLive(options, { ...content, indexes, known, body, opened, releaseId: release.id });
  // This version of Brotli makes other bytes than the cache says, so this is another release.
  if (published === undefined) return await publishContent(options, content);
  return { ...common, kind: options.preview ? "previewed" : "published", ...published };
}

/** @throws Refused if the list of files is too long for a request */
function bodyOf(options: BegunOptions, content: Publication, copies: Copies): ReleaseBody {
  const { expectCurrent, isFresh, isDryRun, description } = options;
  return releaseBody({
    ...{ ...content, description, isDryRun },
    choices: isFresh ? undefined : content.choices,
    files: manifestFiles(content, copies),
    expectCurrent: expectCurrent === false ? undefined : expectCurrent,
  });
}

/** Deltas from the files of the live release and of those before it. A dry run says which these are. */
async function deltasOf(
  options: BegunOptions,
  content: Publication,
  { variants, indexes }: Omit<Copies, "deltas">,
): Promise<ReadonlyMap<string, readonly Delta[]>> {
  const { files, deltas, settings } = content;
  const { begun, isFresh, signal } = options;
  const candidates = files.filter((file) => deltas.canMake(file) && dictionaryPath(file, settings) !== undefined);
  if ((!isFresh && begun.current === null) || candidates.length === 0) return new Map();
  const body = bodyOf({ ...options, isDryRun: true }, content, { variants, indexes });
  // An API of before names none.
  const { older_files: named = [] } = await unlessAborted(openRelease(options.client, options.slug, body), signal);
  const byPath = new Map(candidates.map((file) => [file.path, file]));
  const sources = named.flatMap((older) => {
    const file = byPath.get(older.path);
    const br = file && mayBeCompressed(file) ? variants.get(file.sha256) : undefined;
    return file ? [{ file, older, br, encoding: file.encoding }] : [];
  });
  return sources.length === 0 ? new Map() : await deltas.of(sources);
}

const nothing: UploadTally = { files: 0, variants: 0, deltas: 0, bytes: 0 };

interface Sendable extends Pick<Copies, "indexes"> {
  readonly deltas: ReadonlyMap<string, readonly Delta[]>;
  readonly files: readonly HashedFile[];
  readonly copied: number;
}

function toSend({ missing, bytes_to_send: all }: OpenedRelease, { files, indexes, deltas, copied }: Sendable) {
  const lacking = new Set(missing);
  const countOf = (some: Iterable<{ readonly sha256: string }>) =>
    new Set([...some].map(({ sha256 }) => sha256).filter((sha256) => lacking.has(sha256))).size;
  const [ofFiles, ofDeltas] = [countOf(files), countOf([...deltas.values()].flat())];
  const variants = missing.length - ofFiles - ofDeltas - countOf(indexes.values());
  return { sent: { files: ofFiles, variants, deltas: ofDeltas, bytes: all - copied }, known: copied };
}

interface OpenedContent extends Pick<Publication, "files" | "copies" | "deltas" | "store"> {
  readonly indexes: Indexes;
  readonly known: KnownParts;
  readonly body: ReleaseBody;
  readonly opened: OpenedRelease;
  readonly releaseId: string;
}

/** Uploads what is missing and makes the release live, or opens its preview. @returns undefined if a variant has other bytes than the cache says */
async function uploadAndGoLive(options: BegunOptions, content: OpenedContent) {
  const { files, copies, deltas, store, indexes, opened, releaseId } = content;
  const { client, slug, expectCurrent, preview } = options;
  const params = { slug, id: releaseId };
  const bySha256 = new Map(files.map((file) => [file.sha256, file]));
  const compared = expectCurrent === undefined ? opened.current_release : expectCurrent;
  const expected = compared === false ? undefined : compared;
  const sent = { ...nothing };
  const sending = { api: client.api, timeoutMilliseconds: timeoutMilliseconds(process.env) };
  const uploaded = await uploadRelease<SentFile, Activation>({
    ...{ ...options, ...content, params },
    openSender: (signal, some) => createSender({ ...sending, files: some }, signal),
    filesOf: async (missing) => {
      const compressed = await copies.toUpload(files, missing);
      if (compressed === undefined) return undefined;
      const originals = [...missing].flatMap((sha256) => bySha256.get(sha256) ?? []);
      const differences = deltas.toUpload(missing);
      const ofChunks = [...indexes.values()]
        .filter(({ sha256 }) => missing.has(sha256))
        .map(({ sha256, bytes }) => ({ ...store.put("index of a large file", bytes), sha256 }));
      sent.files += originals.length;
      sent.variants += compressed.length;
      sent.deltas += differences.length;
      return [...originals, ...compressed, ...differences, ...ofChunks];
    },
    activate: async () => {
      options.onGoingLive();
      return await (preview ? makePreview(client, params, preview) : makeLive(client, params, expected));
    },
  });
  if (uploaded === undefined) return undefined;
  const { made, amount } = uploaded;
  return { ...made, sent: { ...sent, bytes: amount.sent }, known: amount.known };
}
