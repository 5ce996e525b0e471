import { serverNow } from "../contract/api/time/server-time.ts";
import type { Client, ResponseBody } from "../contract/client.ts";
import type { UploadContent, UploadTarget } from "./ports.ts";
import { UploadFailure } from "./upload-failure.ts";

/** The URL of one upload, which is replaced if it expires. */
export interface UploadUrl {
  /** Undefined: the service has these bytes by now. */
  of(): Promise<UploadTarget | undefined>;
  /** The store refused it: the next `of` requests another one. */
  replace(): void;
}

interface UrlRequests<File extends UploadContent> {
  readonly client: Client;
  readonly params: { readonly slug: string; readonly id: string };
  readonly files: readonly File[];
  /** URLs that came with the response that opened the release. */
  readonly first: ResponseBody<"createUploads"> | null | undefined;
  readonly perCall: number;
}

interface Batch {
  readonly urls: Promise<ReadonlyMap<string, UploadTarget>>;
  /** Milliseconds since 1970 by the server's clock; infinite until the response is there. */
  expiresAt: number;
}

/** A URL for so few milliseconds is not used any more. */
const minMilliseconds = 30_000;

/** URLs of files that are sent whole. They are requested in batches: the first one at once, each later one while half of the one before is in use. */
export class UploadUrls<File extends UploadContent> {
  /** Those files first whose URLs are there. */
  readonly files: readonly File[];
  readonly #requests: UrlRequests<File>;
  readonly #batches = new Map<string, Batch>();

  constructor(requests: UrlRequests<File>) {
    const { files, first } = requests;
    this.#requests = requests;
    if (first) this.#keep(first.uploads, batchOf(Promise.resolve(first), Date.parse(first.expires_at)));
    const hasUrl = ({ sha256 }: UploadContent) => this.#batches.has(sha256);
    this.files = [...files.filter(hasUrl), ...files.filter((file) => !hasUrl(file))];
    const next = this.files.findIndex((file) => !this.#isUsable(file));
    if (next !== -1) this.#request(next);
  }

  /** @param index of one of {@link files} */
  at(index: number): UploadUrl {
    const { sha256 = "" } = this.files[index] ?? {};
    return { of: () => this.#of(index, sha256), replace: () => void this.#batches.delete(sha256) };
  }

  async #of(index: number, sha256: string): Promise<UploadTarget> {
    for (const needed of [index, index + Math.floor(this.#requests.perCall / 2)])
      if (!this.#isUsable(this.files[needed])) this.#request(needed);
    let urls = await this.#batches.get(sha256)?.urls;
    // The response took its time, or the server gives URLs for a moment: once more, and what comes then is used.
    if (!this.#isUsable(this.files[index])) {
      this.#request(index);
      urls = await this.#batches.get(sha256)?.urls;
    }
    const url = urls?.get(sha256);
    if (url === undefined) throw new UploadFailure("no_url");
    return url;
  }

  #isUsable(file: UploadContent | undefined): boolean {
    if (file === undefined) return true;
    return (this.#batches.get(file.sha256)?.expiresAt ?? 0) - serverNow() >= minMilliseconds;
  }

  /** For this file and those after it. */
  #request(index: number): void {
    const { client, params, perCall } = this.#requests;
    const files = this.files.slice(index, index + perCall).filter((file) => !this.#isUsable(file));
    const body = { sha256: files.map(({ sha256 }) => sha256) };
    this.#keep(files, batchOf(client.call("POST /projects/:slug/releases/:id/uploads", { params, body })));
  }

  #keep(files: readonly { readonly sha256: string }[], batch: Batch): void {
    for (const { sha256 } of files) this.#batches.set(sha256, batch);
  }
}

function batchOf(response: Promise<ResponseBody<"createUploads">>, expiresAt = Number.POSITIVE_INFINITY): Batch {
  const batch = {
    expiresAt,
    urls: response.then(({ uploads, expires_at: at }) => {
      batch.expiresAt = Date.parse(at);
      return new Map(uploads.map((upload) => [upload.sha256, upload]));
    }),
  };
  // `of` throws the failure. A batch that nobody awaits yet must not crash the process.
  batch.urls.catch(() => {});
  return batch;
}
