import { errorCodeIn, type PutResponse } from "../../../contract/api/releases/store-response.ts";
import type { Patience } from "../../../contract/retries.ts";
import type { Sender, UploadTarget } from "../../../publisher/ports.ts";
import { UploadFailure } from "../../../publisher/upload-failure.ts";
import { unreachable } from "../unreachable.ts";
import type { NamedContent } from "./protocol.ts";
import { Refusal } from "./refusal.ts";

export interface SenderOptions {
  readonly patience: Pick<Patience, "onResponse">;
  /** A connection on which nothing moves for so long is given up: a change of networks can leave one that never fails. */
  readonly stalledMilliseconds?: number;
  bytesOf(sha256: string): Promise<Blob>;
}

/** Sends files of a page to the store, on as many connections as browsers open to one host of HTTP/1.1, which S3 speaks. */
export function createSender(options: SenderOptions, signal: AbortSignal): Sender<NamedContent> {
  const { bytesOf } = options;
  return {
    filesAtOnce: 6,
    partsAtOnce: 6,
    urlsPerCall: 100,
    open: ({ sha256 }) => {
      let reading: Promise<Blob> | undefined;
      return async ({ start, size }, target, onSent) => {
        reading ??= bytesOf(sha256);
        const bytes = await reading;
        signal.throwIfAborted();
        // A slice has no type: Content-Type would be a header that the URL does not expect.
        return await put(target, bytes.slice(start, start + size), { ...options, signal, onSent });
      };
    },
    read: async ({ sha256 }) => new Uint8Array(await (await bytesOf(sha256)).arrayBuffer()),
    openBytes: (bytes) => async (_, target, onSent) =>
      await put(target, new Blob([bytes]), { ...options, signal, onSent }),
    partsOf: async ({ parts = [] }) => parts,
    explain,
    close: () => {},
  };
}

interface Sending extends SenderOptions {
  readonly signal: AbortSignal;
  onSent(bytes: number): void;
}

/** Only XMLHttpRequest tells how much is sent. A server that is not the store lacks its CORS headers, so that the page sees no response. */
function put({ url, headers }: UploadTarget, bytes: Blob, sending: Sending): Promise<PutResponse> {
  const { signal, patience, stalledMilliseconds = 60_000, onSent } = sending;
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    let stalled = setTimeout(abort, stalledMilliseconds);
    signal.addEventListener("abort", abort, { once: true });
    request.upload.addEventListener("progress", ({ loaded }) => {
      clearTimeout(stalled);
      stalled = setTimeout(abort, stalledMilliseconds);
      onSent(loaded);
      if (loaded > 0) patience.onResponse();
    });
    request.addEventListener("loadend", () => {
      clearTimeout(stalled);
      signal.removeEventListener("abort", abort);
      const { status, responseText } = request;
      if (status === 0) reject(unreachable("The store cannot be reached.", { host: new URL(url).host }));
      else resolve({ status, code: errorCodeIn(responseText) });
    });
    request.open("PUT", url);
    for (const [name, value] of Object.entries(headers))
      if (name.toLowerCase() !== "content-length") request.setRequestHeader(name, value);
    request.send(bytes);
  });
}

function explain(failure: unknown, { path }: NamedContent): unknown {
  if (!(failure instanceof UploadFailure)) return failure;
  if (failure.meaning === "refused")
    return new Refusal(`The store refused ${path}: it may have changed meanwhile. Choose the folder again.`);
  if (failure.meaning === "incomplete")
    return new Refusal(`${path} could not be completed. Try again: the parts that are sent are kept.`);
  return new Refusal(`${path} could not be sent: the store has trouble. Try again in a minute: what is sent is kept.`);
}
