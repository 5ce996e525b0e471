import { once } from "node:events";
import { createServer, request as httpRequest, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";
import { startObjectStore } from "../../local/object-store.ts";

/** One request to the object store, by a function or by whoever has a signed address. */
export interface RecordedRequest {
  readonly method: string;
  /** The object's key; empty for a list. */
  readonly key: string;
  /** The prefix of a list. */
  readonly prefix: string | undefined;
}

/** An object store behind a proxy that writes down what is asked of it. */
export interface ObjectStoreRecorder {
  readonly endpoint: string;
  readonly requests: RecordedRequest[];
  stop(): Promise<void>;
}

/** Starts an object store of its own with the bucket of that name. */
export async function startRecordedObjectStore(bucketName: string): Promise<ObjectStoreRecorder> {
  const store = await startObjectStore(bucketName, undefined);
  const requests: RecordedRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const { method = "", headers, url = "" } = incoming;
    const { pathname, searchParams } = new URL(url, store.endpoint);
    const key = decodeURIComponent(pathname).slice(`/${bucketName}/`.length);
    requests.push({ method, key, prefix: searchParams.get("prefix") ?? undefined });
    // The signature covers the host that the caller sees, so it goes on unchanged.
    const forwarded = httpRequest(store.endpoint + url, { method, headers });
    forwarded.on("error", () => response.destroy());
    forwarded.on("response", (answer: IncomingMessage) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    await pipeline(incoming, forwarded).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    stop: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
      await store.stop();
    },
  };
}
