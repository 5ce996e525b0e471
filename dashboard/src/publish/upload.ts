import { errorCodeIn, meaningOf, type StoreMeaning } from "../../../contract/api/releases/store-response.ts";
import { NetworkError } from "../../../contract/api-error.ts";
import type { Client, ResponseBody } from "../../../contract/client.ts";
import type { KnownParts } from "../../../contract/folder/known-parts.ts";
import { type Patience, type Retry, retryFor, withRetries } from "../../../contract/retries.ts";
import { uploadParts } from "../../../publisher/upload-parts.ts";
import { unreachable } from "../unreachable.ts";
import type { NamedContent } from "./protocol.ts";
import { Refusal } from "./refusal.ts";

/** Connections of browsers to one host of HTTP/1.1, which S3 speaks. */
const atOnce = 6;
/** URLs are valid for an hour, so not all of many files get theirs at once. */
const urlsPerCall = 100;
/** A connection on which nothing moves is given up: a change of networks can leave one that never fails. */
const stalledMilliseconds = 60_000;

export interface UploadOptions {
  /** It waits while the network is away. */
  readonly api: Client;
  readonly patience: Patience;
  readonly slug: string;
  readonly releaseId: string;
  /** One for each missing hash. */
  readonly files: readonly NamedContent[];
  /** URLs that came with the response that opened the release. */
  readonly firstUploads: readonly UploadUrl[];
  bytesOf(sha256: string): Promise<Blob>;
  /** Parts that the service has in other files. They are not counted as bytes that are sent. */
  readonly known: KnownParts;
  /** Called with how many bytes of a large file need not be sent, because the service has them, and how many were known. */
  onKnown(bytes: number, expected: number): void;
  /** Called with how many more bytes are sent; less than none if a file begins again. */
  onBytes(bytes: number): void;
}

/**
 * Uploads the files, six at a time, each again if the network or the store fails: a lost network is waited for. The first one
 * whose last try fails cancels the others.
 *
 * @throws Refusal, ApiError, or the signal's reason
 */
export async function uploadAll(options: UploadOptions): Promise<void> {
  const stop = new AbortController();
  const signal = AbortSignal.any([options.patience.signal, stop.signal]);
  const all = { ...options, patience: { ...options.patience, signal } };
  const urls = new UploadUrls(all);
  try {
    await sixAtOnce(options.files, async (file) => {
      signal.throwIfAborted();
      if (file.parts) return await uploadInParts(file, file.parts, all);
      const bytes = await all.bytesOf(file.sha256);
      await uploadOne({ path: file.path, bytes, of: () => urls.of(file), forget: () => urls.forget(file) }, all);
    });
  } finally {
    stop.abort();
  }
}

async function sixAtOnce<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const next = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, next));
}

/** A file, or a part of one, and where it goes. */
interface Upload {
  readonly path: string;
  readonly bytes: Blob;
  /** Undefined: the service has these bytes by now. */
  of(): Promise<Target | undefined>;
  /** The store says that the URL has expired. */
  forget(): void;
}

async function uploadOne({ path, bytes, of, forget }: Upload, { onBytes, patience }: UploadOptions): Promise<void> {
  const { signal } = patience;
  const attempt = async () => {
    let sent = 0;
    const url = await of();
    signal.throwIfAborted();
    if (url === undefined) return onBytes(bytes.size);
    const outcome = await put(url, bytes, signal, (now) => {
      onBytes(now - sent);
      sent = now;
      if (now > 0) patience.onResponse();
    });
    signal.throwIfAborted();
    if (outcome === "stored") return onBytes(bytes.size - sent);
    onBytes(-sent);
    if (outcome === "unreachable") throw unreachable("The store cannot be reached.", { host: new URL(url.url).host });
    if (outcome === "refused")
      throw new Refusal(`The store refused ${path}: it may have changed meanwhile. Choose the folder again.`);
    if (outcome === "expired") forget();
    throw new StoreTrouble(
      `${path} could not be sent: the store has trouble. Try again in a minute: what is sent is kept.`,
    );
  };
  await withRetries(attempt, { tries: patience.tries, patience, retryFor: ofStore });
}

/** The store may take the same file in a moment. */
class StoreTrouble extends Refusal {}

/** Requests to the API, which have no host here, were tried again already. */
function ofStore(failure: unknown): Retry | undefined {
  if (failure instanceof StoreTrouble) return { why: failure.message };
  return failure instanceof NetworkError && failure.host !== undefined ? retryFor(failure) : undefined;
}

/** Sends the parts of a large file that the service lacks, and lets it complete the file. */
async function uploadInParts(file: NamedContent, hashes: readonly string[], options: UploadOptions): Promise<void> {
  const { path, sha256 } = file;
  let bytes: Promise<Blob> | undefined;
  const isComplete = await uploadParts({
    ...options,
    client: options.api,
    params: { slug: options.slug, id: options.releaseId },
    ...{ file, hashes, atOnce },
    copies: options.known.get(sha256) ?? [],
    send: async ({ start, size }, url) => {
      bytes ??= options.bytesOf(sha256);
      const part = (await bytes).slice(start, start + size);
      await uploadOne({ path, bytes: part, of: url.of, forget: url.replace }, options);
    },
  });
  if (!isComplete) throw new Refusal(`${path} could not be completed. Try again: the parts that are sent are kept.`);
}

type UploadUrl = ResponseBody<"createUploads">["uploads"][number];
type Target = Pick<UploadUrl, "url" | "headers">;

type Outcome = StoreMeaning | "unreachable";

/** Only XMLHttpRequest tells how much is sent. A server that is not the store lacks its CORS headers, so that the page sees no response. */
function put({ url, headers }: Target, bytes: Blob, signal: AbortSignal, onSent: (bytes: number) => void) {
  return new Promise<Outcome>((resolve) => {
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    let stalled = setTimeout(abort, stalledMilliseconds);
    signal.addEventListener("abort", abort, { once: true });
    request.upload.addEventListener("progress", ({ loaded }) => {
      clearTimeout(stalled);
      stalled = setTimeout(abort, stalledMilliseconds);
      onSent(loaded);
    });
    request.addEventListener("loadend", () => {
      clearTimeout(stalled);
      signal.removeEventListener("abort", abort);
      const { status, responseText } = request;
      resolve(status === 0 ? "unreachable" : meaningOf({ status, code: errorCodeIn(responseText) }));
    });
    request.open("PUT", url);
    for (const [name, value] of Object.entries(headers))
      if (name.toLowerCase() !== "content-length") request.setRequestHeader(name, value);
    // A slice has no type: Content-Type would be a header that the URL does not expect.
    request.send(bytes.slice());
  });
}

/** Upload URLs, asked for in batches. */
class UploadUrls {
  readonly #options: UploadOptions;
  readonly #known = new Map<string, Promise<UploadUrl | undefined>>();

  constructor(options: UploadOptions) {
    this.#options = options;
    for (const upload of options.firstUploads) this.#known.set(upload.sha256, Promise.resolve(upload));
  }

  async of(file: NamedContent): Promise<UploadUrl> {
    if (!this.#known.has(file.sha256)) this.#ask(file);
    const found = await this.#known.get(file.sha256);
    if (found === undefined) throw new Error("The API sent no upload URL");
    return found;
  }

  /** The store says that it has expired. */
  forget({ sha256 }: NamedContent): void {
    this.#known.delete(sha256);
  }

  /** For a file and those after it. */
  #ask(file: NamedContent): void {
    const { api, slug, releaseId, files } = this.#options;
    const from = files.indexOf(file);
    const wanted = files.slice(from, from + urlsPerCall).filter(({ sha256 }) => !this.#known.has(sha256));
    const sha256 = wanted.map((one) => one.sha256);
    const params = { slug, id: releaseId };
    const call = () => api.call("POST /projects/:slug/releases/:id/uploads", { params, body: { sha256 } });
    const asked = call();
    for (const hash of sha256)
      this.#known.set(
        hash,
        asked.then(({ uploads }) => uploads.find((upload) => upload.sha256 === hash)),
      );
    // `of` throws the failure; nobody may wait for the others yet.
    for (const hash of sha256) this.#known.get(hash)?.catch(() => this.#known.delete(hash));
  }
}
