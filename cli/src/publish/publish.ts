import { limits } from "../../../contract/limits.ts";
import { type Client, timeoutMilliseconds } from "../client.ts";
import { UserError } from "../errors.ts";
import { humanBytes } from "../text.ts";
import { readFolder } from "./folder.ts";
import { type HashedFile, hashAll } from "./hash.ts";
import { openHashCache } from "./hash-cache.ts";
import type { Judge } from "./ignore-rules.ts";
import { type Progress, type Tally, tallyOf } from "./progress.ts";
import { uploadAll } from "./upload.ts";

export interface PublishOptions {
  readonly client: Client;
  readonly slug: string;
  readonly folder: string;
  readonly judge: Judge;
  readonly isDryRun: boolean;
  /** The release that must be live for this one to take its place; null: none may be; undefined: whichever is. */
  readonly expectCurrent: string | null | undefined;
  readonly environment: NodeJS.ProcessEnv;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  /** Told what was kept out because of its name, as soon as it is known. */
  onSecrets(paths: readonly string[]): void;
  /** Told when the release is about to go live: from here on it cannot be stopped. */
  onGoingLive(): void;
}

type Opened = Awaited<ReturnType<typeof openRelease>>;

/** What publishing did, or, on a dry run, would do. */
export interface Outcome {
  readonly kind: "published" | "unchanged" | "dry_run";
  readonly opened: Opened;
  readonly previousRelease: string | null;
  /** Null for a dry run that would open a new release. */
  readonly releaseId: string | null;
  readonly files: number;
  readonly bytes: number;
  readonly sent: Tally;
  readonly ignored: number;
  readonly secrets: readonly string[];
}

/**
 * Publishes a folder: hashes it, opens a release or finds the one that was begun, uploads what the service does not
 * have, and makes it live in one step. Until that step, and if anything fails, the live release stays as it is.
 */
export async function publishFolder(options: PublishOptions): Promise<Outcome> {
  const { signal } = options;
  const { files: found, secrets, ignored } = readFolder(options.folder, options.judge);
  options.onSecrets(secrets);
  const cache = openHashCache(options.folder, options.environment);
  const files = await hashAll(found, { ...options, cache, now: Date.now() });
  const body = releaseBody(files, options);
  const opened = await unlessAborted(openRelease(options, body), signal);
  const common = { opened, ...tallyOf(files), ignored, secrets };
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
  const { sent, previousRelease } = await uploadAndGoLive(options, { files, body, opened, releaseId: release.id });
  return { ...common, kind: "published", releaseId: release.id, previousRelease, sent };
}

const nothing = { files: 0, bytes: 0 };

function releaseBody(files: readonly HashedFile[], { expectCurrent, isDryRun, folder }: PublishOptions) {
  const body = {
    files: files.map(({ path, size, sha256 }) => ({ path, size, sha256 })),
    ...(expectCurrent !== undefined && { expect_current: expectCurrent }),
    ...(isDryRun && { dry_run: true }),
  };
  const length = Buffer.byteLength(JSON.stringify(body));
  if (length <= limits.jsonBodyBytes) return body;
  throw new UserError(
    `The list of the files of ${folder} takes ${humanBytes(length)}, more than the ${humanBytes(limits.jsonBodyBytes)} that one request may have. Nothing was sent.`,
    { code: "manifest_too_large", next: "Shorten the paths, or pack small files together." },
  );
}

function openRelease({ client, slug }: PublishOptions, body: ReturnType<typeof releaseBody>) {
  return client.call("createRelease", { params: { slug }, body });
}

interface Going {
  readonly files: readonly HashedFile[];
  readonly body: ReturnType<typeof releaseBody>;
  readonly opened: Opened;
  readonly releaseId: string;
}

/** A store may lose what it had confirmed; what is missing then is sent again, twice at most. */
async function uploadAndGoLive(options: PublishOptions, { files, body, opened, releaseId }: Going) {
  const { client, slug, expectCurrent } = options;
  const params = { slug, id: releaseId };
  const bySha256 = new Map(files.map((file) => [file.sha256, file]));
  const sent = { files: 0, bytes: 0 };
  let missing = opened.missing;
  for (let round = 1; ; round += 1) {
    const wanted = missing.flatMap((sha256) => bySha256.get(sha256) ?? []);
    await uploadWithProgress(options, params, wanted);
    const { files: count, bytes } = tallyOf(wanted);
    sent.files += count;
    sent.bytes += bytes;
    options.onGoingLive();
    try {
      const expectation = expectCurrent === undefined ? {} : { expect_current: expectCurrent };
      const { previous_release } = await client.call("publishRelease", { params, body: expectation });
      return { sent, previousRelease: previous_release };
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
