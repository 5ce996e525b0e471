import { once } from "node:events";
import { closeSync, openSync, read, readSync } from "node:fs";
import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { promisify } from "node:util";

/** Up to this size one read takes less time than a trip to another thread. */
const wholeBytes = 64 * 1024;
/** Few large reads of a long file take less time than many small ones. */
const chunkBytes = 512 * 1024;

/** What is sent of a file of the embedded store: from `start` to before `end`. */
export interface FilePart {
  readonly path: string;
  readonly start: number;
  readonly end: number;
}

const readAt = promisify(read);

/**
 * Responds with a part of a file, which is closed afterwards also where the client goes away.
 *
 * @throws Error where the file is not there, with nothing sent, or is shorter
 */
export async function sendFilePart(
  response: ServerResponse,
  part: FilePart,
  { status, headers }: { readonly status: number; readonly headers: OutgoingHttpHeaders },
): Promise<void> {
  const descriptor = openSync(part.path, "r");
  try {
    response.writeHead(status, headers);
    if (part.end - part.start <= wholeBytes) response.end(readWhole(descriptor, part));
    else await sendChunks(response, descriptor, part);
  } finally {
    closeSync(descriptor);
  }
}

function readWhole(descriptor: number, { start, end }: FilePart): Buffer {
  const buffer = Buffer.allocUnsafe(end - start);
  assertRead(readSync(descriptor, buffer, 0, buffer.length, start), buffer.length);
  return buffer;
}

async function sendChunks(response: ServerResponse, descriptor: number, { start, end }: FilePart): Promise<void> {
  for (let position = start; position < end && !response.destroyed; ) {
    const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, end - position));
    const { bytesRead } = await readAt(descriptor, buffer, 0, buffer.length, position);
    assertRead(bytesRead, buffer.length);
    position += bytesRead;
    if (!response.destroyed && !response.write(buffer)) await drained(response);
  }
  response.end();
}

function assertRead(bytesRead: number, expected: number): void {
  if (bytesRead < expected) throw new Error("An object is shorter than its manifest says");
}

/** Until there is room for more, or nobody is there to take it. */
async function drained(response: ServerResponse): Promise<void> {
  const waiting = new AbortController();
  const { signal } = waiting;
  await Promise.race([once(response, "drain", { signal }), once(response, "close", { signal })]);
  waiting.abort();
}
