import { limits } from "../../../contract/limits.ts";
import type { Content } from "../../../contract/manifest-rules.ts";
import type { ReleaseSettings } from "../../../contract/release-settings.ts";
import { type Client, timeoutMilliseconds } from "../client.ts";
import { UserError } from "../errors.ts";
import { humanBytes } from "../text.ts";
import { adviceFor } from "./build-advice.ts";
import { readFolder } from "./folder.ts";
import { type HashedFile, hashAll } from "./hash.ts";
import { openHashCache } from "./hash-cache.ts";
import type { Judge } from "./ignore-rules.ts";
import { type Progress, type Tally, tallyOf } from "./progress.ts";
import { uploadAll } from "./upload.ts";
import { openVariantCache } from "./variant-cache.ts";
import { isCandidate, VariantMaker } from "./variants.ts";

/** What is said of a release: by whoever publishes it, and by the CI job. */
export interface ReleaseDescription {
  readonly message?: string;
  readonly source?: { readonly commit: string; readonly run_url?: string };
}

export interface PublishOptions {
  readonly client: Client;
  readonly slug: string;
  readonly folder: string;
  readonly judge: Judge;
  /** What stays with the release. */
  readonly description: ReleaseDescription;
  readonly isDryRun: boolean;
  /** The release that must be live for this one to take its place; null: none may be; undefined: whichever is. */
  readonly expectCurrent: string | null | undefined;
  readonly settings: ReleaseSettings;
  readonly environment: NodeJS.ProcessEnv;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  /** Told what was kept out because of its name, as soon as it is known. */
  onSecrets(paths: readonly string[]): void;
  /** Told what players would run into, a sentence each. */
  onAdvice(advice: readonly string[]): void;
  /** Told when the release is about to go live: from here on it cannot be stopped. */
  onGoingLive(): void;
}

type Opened = Awaited<ReturnType<typeof openRelease>>;

/** What publishing did, or, on a dry run, would do. */
export interface Outcome {
  readonly kind: "published" | "unchanged" | "dry_run";
  /** Where the live release is played; null where the API does not tell. */
  readonly playUrl: string | null;
  readonly opened: Opened;
  readonly previousRelease: string | null;
  /** Null for a dry run that would open a new release. */
  readonly releaseId: string | null;
  readonly files: number;
  readonly bytes: number;
  readonly sent: Tally;
  readonly ignored: readonly string[];
  readonly secrets: readonly string[];
}

/**
 * Publishes a folder: hashes it, opens a release or finds the one that was begun, uploads what the service does not
 * have, and makes it live in one step. Until that step, and if anything fails, the live release stays as it is.
 */
export async function publishFolder(options: PublishOptions): Promise<Outcome> {
  const { files: found, secrets, ignored } = readFolder(options.folder, options.judge);
  options.onSecrets(secrets);
  const cache = openHashCache(options.folder, options.environment);
  options.onAdvice(adviceFor(found, options.settings));
  const files = await hashAll(found, { ...options, cache, now: Date.now() });
  const variantCache = openVariantCache(options.folder, options.environment);
  const variants = new VariantMaker({ ...options, cache: variantCache });
  try {
    return await publishFiles(options, { files, variants, ignored, secrets });
  } finally {
    variants.close();
  }
}

interface Found {
  readonly files: readonly HashedFile[];
  readonly variants: VariantMaker;
  readonly ignored: readonly string[];
  readonly secrets: readonly string[];
}

async function publishFiles(options: PublishOptions, found: Found): Promise<Outcome> {
  const { files, variants, ignored, secrets } = found;
  const body = releaseBody(files, await variants.of(files), options);
  const opened = await unlessAborted(openRelease(options, body), options.signal);
  const playUrl = opened.release?.play_url ?? null;
  const common = { opened, ...tallyOf(files), ignored, secrets, playUrl };
  if (options.isDryRun)
    return {
      ...common,
      kind: "dry_run",
      releaseId: opened.release?.id ?? null,
      previousRelease: opened.current_release,
      sent: nothing,
    };
  const { release } = opened;
  if (release === null) throw new UserError("The API opened no release.", { code: "unexpected_answer" });
  if (release.status === "live")
    return { ...common, kind: "unchanged", releaseId: release.id, previousRelease: release.id, sent: nothing };
  const gone = await uploadAndGoLive(options, { files, variants, body, opened, releaseId: release.id });
  // Another version of Brotli makes other bytes than were remembered, so the release is another.
  if (gone === undefined) return await publishFiles(options, found);
  return { ...common, kind: "published", releaseId: release.id, ...gone };
}

const nothing = { files: 0, bytes: 0 };

/**
 * Where the list is too long for one request, it goes without the variants that save least.
 *
 * @throws UserError where it is too long without any
 */
function releaseBody(files: readonly HashedFile[], variants: ReadonlyMap<string, Content>, options: PublishOptions) {
  const { description, expectCurrent, isDryRun, folder, settings } = options;
  const { isolation, immutable } = settings;
  const body = {
    files: files.map((file) => {
      const { path, size, sha256 } = file;
      const br = isCandidate(file) ? variants.get(sha256) : undefined;
      return { path, size, sha256, ...(br && { br: { size: br.size, sha256: br.sha256 } }) };
    }),
    ...description,
    ...((isolation || immutable.length > 0) && { settings: { isolation, immutable: [...immutable] } }),
    ...(expectCurrent !== undefined && { expect_current: expectCurrent }),
    ...(isDryRun && { dry_run: true }),
  };
  const length = Buffer.byteLength(JSON.stringify(body));
  if (length <= limits.jsonBodyBytes) return body;
  if (variants.size > 0) return releaseBody(files, betterHalf(files, variants), options);
  throw new UserError(
    `The list of the files of ${folder} takes ${humanBytes(length)}, more than the ${humanBytes(limits.jsonBodyBytes)} that one request may have. Nothing was sent.`,
    { code: "manifest_too_large", next: "Shorten the paths, or pack small files together." },
  );
}

function betterHalf(files: readonly HashedFile[], variants: ReadonlyMap<string, Content>): Map<string, Content> {
  const sizes = new Map(files.map(({ sha256, size }) => [sha256, size]));
  const saving = ([sha256, { size }]: [string, Content]) => (sizes.get(sha256) ?? 0) - size;
  return new Map([...variants].toSorted((a, b) => saving(b) - saving(a)).slice(0, Math.floor(variants.size / 2)));
}

function openRelease({ client, slug }: PublishOptions, body: ReturnType<typeof releaseBody>) {
  return client.call("createRelease", { params: { slug }, body });
}

interface Going {
  readonly files: readonly HashedFile[];
  readonly variants: VariantMaker;
  readonly body: ReturnType<typeof releaseBody>;
  readonly opened: Opened;
  readonly releaseId: string;
}

/** A store may lose what it had confirmed; what is missing then is sent again, twice at most. */
async function uploadAndGoLive(options: PublishOptions, { files, variants, body, opened, releaseId }: Going) {
  const { client, slug, expectCurrent } = options;
  const params = { slug, id: releaseId };
  const bySha256 = new Map(files.map((file) => [file.sha256, file]));
  const sent = { files: 0, bytes: 0 };
  let missing = opened.missing;
  for (let round = 1; ; round += 1) {
    const compressed = await variants.toUpload(files, new Set(missing));
    if (compressed === undefined) return undefined;
    const wanted = [...missing.flatMap((sha256) => bySha256.get(sha256) ?? []), ...compressed];
    await uploadWithProgress(options, params, wanted);
    const { files: count, bytes } = tallyOf(wanted);
    sent.files += count;
    sent.bytes += bytes;
    options.onGoingLive();
    try {
      const expectation = expectCurrent === undefined ? {} : { expect_current: expectCurrent };
      const { release, previous_release } = await client.call("publishRelease", { params, body: expectation });
      return { sent, previousRelease: previous_release, playUrl: release.play_url ?? null };
    } catch (failure) {
      if (!(failure instanceof UserError && failure.code === "release_incomplete" && round < 3)) throw failure;
      ({ missing } = await openRelease(options, body));
    }
  }
}

async function uploadWithProgress(
  options: PublishOptions,
  params: { slug: string; id: string },
  files: readonly HashedFile[],
) {
  if (files.length === 0) return;
  const { client, environment, progress, signal } = options;
  progress.start("Uploading", tallyOf(files));
  try {
    await uploadAll({
      client,
      params,
      files,
      environment,
      signal,
      timeoutMilliseconds: timeoutMilliseconds(environment),
      onBytes: (bytes) => progress.add({ files: 0, bytes }),
      onFile: () => progress.add({ files: 1, bytes: 0 }),
    });
  } finally {
    progress.end();
  }
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
}
