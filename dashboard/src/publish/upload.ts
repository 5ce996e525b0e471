import { errorCodeIn, meaningOf, type StoreMeaning } from "../../../contract/store-response.ts";
import type { Api, ResponseBody } from "../api.ts";
import type { HashedFile } from "./protocol.ts";
import { Refusal } from "./refusal.ts";

/** As many as browsers have connections to one host of HTTP/1.1, which S3 speaks. */
const atOnce = 6;
/** URLs are valid for an hour, so not all of many files get theirs at once. */
const urlsPerCall = 100;
const tries = 6;
const firstPauseMilliseconds = 500;

export interface UploadOptions {
  readonly api: Api;
  readonly slug: string;
  readonly releaseId: string;
  /** One for each missing hash. */
  readonly files: readonly HashedFile[];
  /** What came with the response that opened the release. */
  readonly firstUploads: readonly UploadUrl[];
  bytesOf(path: string): Promise<Blob>;
  readonly signal: AbortSignal;
  /** Called with how many more bytes are sent; less than none where a file begins again. */
  onBytes(bytes: number): void;
}

/**
 * Uploads the files, six at a time, each again where the network or the store fails. The first one whose last try fails ends
 * the others.
 *
 * @throws Refusal, ApiError, or the signal's reason
 */
export async function uploadAll(options: UploadOptions): Promise<void> {
  const stop = new AbortController();
  const all = { ...options, signal: AbortSignal.any([options.signal, stop.signal]) };
  const urls = new UploadUrls(all);
  const queue = options.files.values();
  const work = async () => {
    for (const file of queue) await uploadOne(file, urls, all);
  };
  try {
    await Promise.all(Array.from({ length: atOnce }, work));
  } finally {
    stop.abort();
  }
}

async function uploadOne(
  file: HashedFile,
  urls: UploadUrls,
  { bytesOf, signal, onBytes }: UploadOptions,
): Promise<void> {
  signal.throwIfAborted();
  const bytes = await bytesOf(file.path);
  for (let attempt = 1; ; attempt += 1) {
    let sent = 0;
    const url = await urls.of(file);
    signal.throwIfAborted();
    const meaning = await put(url, bytes, signal, (now) => {
      onBytes(now - sent);
      sent = now;
    });
    signal.throwIfAborted();
    if (meaning === "stored") return onBytes(file.size - sent);
    onBytes(-sent);
    if (meaning === "refused")
      throw new Refusal(`The store refused ${file.path}: it may have changed meanwhile. Choose the folder again.`);
    if (attempt === tries)
      throw new Refusal(`${file.path} could not be sent. Check your connection, then try again: what is sent is kept.`);
    if (meaning === "expired") urls.forget(file);
    await pause(firstPauseMilliseconds * 2 ** (attempt - 1) * (0.5 + Math.random()), signal);
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

type UploadUrl = ResponseBody<"createUploads">["uploads"][number];

/** Without a response it is trouble. Only XMLHttpRequest tells how much is sent. */
function put({ url, headers }: UploadUrl, bytes: Blob, signal: AbortSignal, onSent: (bytes: number) => void) {
  return new Promise<StoreMeaning>((resolve) => {
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    signal.addEventListener("abort", abort, { once: true });
    request.upload.addEventListener("progress", ({ loaded }) => onSent(loaded));
    request.addEventListener("loadend", () => {
      signal.removeEventListener("abort", abort);
      const { status, responseText } = request;
      resolve(status === 0 ? "trouble" : meaningOf({ status, code: errorCodeIn(responseText) }));
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

  async of(file: HashedFile): Promise<UploadUrl> {
    if (!this.#known.has(file.sha256)) this.#ask(file);
    const found = await this.#known.get(file.sha256);
    if (found === undefined) throw new Error("The API sent no upload URL");
    return found;
  }

  /** The store says that it has expired. */
  forget({ sha256 }: HashedFile): void {
    this.#known.delete(sha256);
  }

  /** For a file and those after it. */
  #ask(file: HashedFile): void {
    const { api, slug, releaseId, files } = this.#options;
    const from = files.indexOf(file);
    const wanted = files.slice(from, from + urlsPerCall).filter(({ sha256 }) => !this.#known.has(sha256));
    const sha256 = wanted.map((one) => one.sha256);
    const params = { slug, id: releaseId };
    const path = "/projects/:slug/releases/:id/uploads";
    const asked = api.call("createUploads", { method: "POST", path, params, body: { sha256 } });
    for (const hash of sha256)
      this.#known.set(
        hash,
        asked.then(({ uploads }) => uploads.find((upload) => upload.sha256 === hash)),
      );
    // `of` throws the failure; nobody may wait for the others yet.
    for (const hash of sha256) this.#known.get(hash)?.catch(() => this.#known.delete(hash));
  }
}
