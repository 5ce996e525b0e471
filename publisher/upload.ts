import { meaningOf } from "../contract/api/releases/store-response.ts";
import type { Client, ResponseBody } from "../contract/client.ts";
import { isSentInParts } from "../contract/folder/content-hash.ts";
import type { KnownParts } from "../contract/folder/known-parts.ts";
import { type Patience, type Retry, retryFor, withRetries } from "../contract/retries.ts";
import type { Put, Range, Sender, UploadContent } from "./ports.ts";
import { UploadFailure } from "./upload-failure.ts";
import { type Pack, sendPacks } from "./upload-packs.ts";
import { uploadParts } from "./upload-parts.ts";
import { type UploadUrl, UploadUrls } from "./upload-urls.ts";

export interface UploadOptions<File extends UploadContent> {
  readonly client: Client;
  readonly params: { readonly slug: string; readonly id: string };
  /** One for each missing hash, but those in packs. */
  readonly files: readonly File[];
  readonly packs?: readonly Pack<File>[];
  /** URLs that came with the response that opened the release. */
  readonly first: ResponseBody<"createUploads"> | null | undefined;
  /** Parts that the service has in other files. They are not counted as bytes that are sent. */
  readonly known: KnownParts;
  readonly patience: Patience;
  openSender(signal: AbortSignal, files: readonly File[]): Sender<File>;
  /** Called with how many bytes of a large file need not be sent, because the service has them, and how many were known. */
  onKnown(bytes: number, expected: number): void;
  /** Called with how many more bytes are sent; less than none if a try has failed. */
  onBytes(bytes: number): void;
  /** Called if so many more bytes are sent than was known: files of a pack go one by one. */
  onMore?(bytes: number): void;
  /** Called when a file is stored. */
  onFile?(file: File): void;
}

/**
 * Uploads the files in parallel, and retries each; a lost network is waited for. The first file whose last try fails aborts the others.
 *
 * @throws what the sender makes of that failure, or the signal's reason
 */
export async function uploadAll<File extends UploadContent>(options: UploadOptions<File>): Promise<void> {
  const { patience, files, packs = [], openSender } = options;
  const stop = new AbortController();
  const signal = AbortSignal.any([patience.signal, stop.signal]);
  signal.throwIfAborted();
  const sender = openSender(signal, [...files, ...packs.flatMap(filesOfPack)]);
  try {
    await sendAll({ ...options, sender, patience: { ...patience, signal } });
    signal.throwIfAborted();
  } finally {
    stop.abort();
    sender.close();
  }
}

interface Work<File extends UploadContent> extends UploadOptions<File> {
  readonly sender: Sender<File>;
}

function filesOfPack<File extends UploadContent>({ sent, made }: Pack<File>): File[] {
  return [...sent, ...made];
}

async function sendAll<File extends UploadContent>(work: Work<File>): Promise<void> {
  const { files, packs = [], sender, patience, onFile, onMore } = work;
  const sendingPacks = sendPacks({
    ...{ ...work, ...patience, packs },
    read: (file) => sender.read(file),
    openPack: (bytes) => sender.openBytes(bytes),
    send: async (range, url, put) => await send({ file: undefined, range, url, put }, work),
    onPack: (pack) => {
      for (const file of filesOfPack(pack)) onFile?.(file);
    },
  });
  const [left] = await Promise.all([sendingPacks, sendEach(files, work)]);
  if (left.length === 0) return;
  onMore?.(left.reduce((sum, { size }) => sum + size, 0));
  await sendEach(left, work);
}

async function sendEach<File extends UploadContent>(files: readonly File[], work: Work<File>): Promise<void> {
  const { sender, patience } = work;
  const whole = files.filter(({ size }) => !isSentInParts(size));
  const urls = new UploadUrls({ ...work, files: whole, perCall: sender.urlsPerCall });
  const ofWhole = urls.files.map((file, index) => ({ file, url: urls.at(index) }));
  const inParts = files.filter(({ size }) => isSentInParts(size)).map((file) => ({ file, url: undefined }));
  const waiting = [...inParts, ...ofWhole].toReversed();
  let workers = Math.min(sender.filesAtOnce, files.length);
  // Counted at once: two that leave together must not each believe that the other one stays and sends their files.
  const leave = (least: number) => workers > least && workers-- > 0;
  const run = async () => {
    for (let next = waiting.pop(); next && !patience.signal.aborted; next = waiting.pop()) {
      const { file, url } = next;
      try {
        await (url ? sendWhole({ file, url, leave }, work) : sendInParts(file, work));
      } catch (failure) {
        if (!(failure instanceof TooManyFilesError)) throw failure;
        return void waiting.push(next);
      }
      work.onFile?.(file);
    }
    workers -= 1;
  };
  await Promise.all(Array.from({ length: workers }, run));
}

/** The system lets this process open no more files, and other uploads, which have some, go on. */
class TooManyFilesError extends Error {}

/** Uploads that need few files; so many go on at first if the system lets this process open no more of them. */
const fewFiles = 8;

const tries = 6;

interface Sending<File> {
  /** Undefined: a pack. */
  readonly file: File | undefined;
  readonly range: Range;
  readonly url: UploadUrl;
  readonly put: Put;
  /** Leaves this upload to others, if more than so many go on. @returns false: it must go on itself */
  leave?(least: number): boolean;
}

async function sendWhole<File extends UploadContent>(
  given: Pick<Sending<File>, "url" | "leave"> & { readonly file: File },
  work: Work<File>,
): Promise<void> {
  const range = { start: 0, size: given.file.size };
  await send({ ...given, range, put: work.sender.open(given.file) }, work);
}

/** Sends the parts of a large file that the service lacks, and lets it complete the file. */
async function sendInParts<File extends UploadContent>(file: File, work: Work<File>): Promise<void> {
  const { sender, known } = work;
  const put = sender.open(file);
  const isComplete = await uploadParts({
    ...work,
    file,
    hashes: await sender.partsOf(file),
    copies: known.get(file.sha256) ?? [],
    atOnce: sender.partsAtOnce,
    send: (range, url) => send({ file, range, url, put }, work),
  });
  if (!isComplete) throw sender.explain(new UploadFailure("incomplete"), file);
}

/**
 * Sends a range of a file, and retries it.
 *
 * @throws TooManyFilesError if it is left to others
 */
async function send<File extends UploadContent>(
  { file, range, url, put, leave }: Sending<File>,
  { onBytes, patience, sender }: Work<File>,
): Promise<void> {
  const { signal } = patience;
  let [sent, hasUrl, isLeft] = [0, false, false];
  const note = (now: number) => {
    if (now !== sent) onBytes(now - sent);
    sent = now;
  };
  const attempt = async () => {
    hasUrl = false;
    const target = await url.of();
    signal.throwIfAborted();
    hasUrl = true;
    if (target === undefined) return note(range.size);
    let isSending = true;
    const sending = put(range, target, (now) => {
      if (isSending) note(now);
    });
    const response = await sending.finally(() => {
      isSending = false;
    });
    const meaning = meaningOf(response);
    if (meaning === "stored") return note(range.size);
    if (meaning === "expired") url.replace();
    throw new UploadFailure(response);
  };
  // No retry without a URL: the client has retried that request already.
  const retryOf = (failure: unknown): Retry | undefined => {
    note(0);
    if (signal.aborted || !hasUrl) return undefined;
    const busy = sender.busy?.(failure);
    isLeft = busy === "process" && leave?.(fewFiles) === true;
    if (isLeft) return undefined;
    return busy ? { why: String(failure) } : ofStore(failure);
  };
  try {
    await withRetries(attempt, { tries, patience, retryFor: retryOf });
  } catch (failure) {
    isLeft ||= !signal.aborted && sender.busy?.(failure) === "process" && leave?.(1) === true;
    if (isLeft) throw new TooManyFilesError();
    signal.throwIfAborted();
    throw file === undefined ? failure : sender.explain(failure, file);
  }
}

/** The store may take the same bytes in a moment. */
function ofStore(failure: unknown): Retry | undefined {
  if (!(failure instanceof UploadFailure)) return retryFor(failure);
  const { meaning, message: why, response } = failure;
  return meaning === "refused" ? undefined : { why, afterMilliseconds: response?.retryAfterMilliseconds };
}
