import { closeSync, openSync, read, readSync } from "node:fs";
import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { promisify } from "node:util";

/** Up to this size one read takes less time than a trip to another thread. */
const wholeBytes = 64 * 1024;
/** Few large reads of a long file take less time than many small ones. */
const chunkBytes = 256 * 1024;

/** Part that is sent of a file of the edge's cache: from `start` to before `end`. */
export interface FilePart {
  readonly path: string;
  readonly start: number;
  readonly end: number;
  /** If the file is still being written. */
  readonly arrival?: Arrival;
}

/** A file while it is written, from its beginning to its end. */
export interface Arrival {
  /**
   * Resolves when what is before this position can be sent. The last byte can be if the whole file is right.
   *
   * @throws Error if it never can be
   */
  reach(position: number): Promise<void>;
}

const readAt = promisify(read);

/**
 * Responds with a part of a file, which is closed afterwards also if the client goes away.
 *
 * @throws Error if the file is not there, with nothing sent, is shorter, or does not arrive
 */
export async function sendFilePart(
  response: ServerResponse,
  part: FilePart,
  { status, headers }: { readonly status: number; readonly headers: OutgoingHttpHeaders },
): Promise<void> {
  const descriptor = openSync(part.path, "r");
  try {
    response.writeHead(status, headers);
    if (part.end - part.start <= wholeBytes) await sendAtOnce(response, descriptor, part);
    else await sendChunks(response, descriptor, part);
  } finally {
    closeSync(descriptor);
  }
}

async function sendAtOnce(response: ServerResponse, descriptor: number, { start, end, arrival }: FilePart) {
  await arrival?.reach(end);
  const buffer = takeBuffer();
  const part = buffer.subarray(0, end - start);
  assertRead(readSync(descriptor, part, 0, part.length, start), part.length);
  response.end(part, () => giveBack(buffer));
}

async function sendChunks(response: ServerResponse, descriptor: number, { start, end, arrival }: FilePart) {
  for (let position = start; position < end && !response.destroyed; ) {
    await arrival?.reach(Math.min(position + chunkBytes, end));
    const buffer = takeBuffer();
    const part = buffer.subarray(0, Math.min(chunkBytes, end - position));
    const { bytesRead } = await readAt(descriptor, part, 0, part.length, position);
    assertRead(bytesRead, part.length);
    position += bytesRead;
    if (await isWritten(response, part)) giveBack(buffer);
  }
  response.end();
}

function assertRead(bytesRead: number, expected: number): void {
  if (bytesRead < expected) throw new Error("The file is shorter than the part that is sent");
}

/** Waits until the bytes are on their way, or nobody is there to take them. */
function isWritten(response: ServerResponse, part: Buffer): Promise<boolean> {
  return new Promise((resolve) => {
    const gone = () => resolve(false);
    response.once("close", gone);
    response.write(part, (error) => {
      response.off("close", gone);
      resolve(!error);
    });
  });
}

/** Buffers that are used again: to allocate one of this size takes longer than to fill it. */
const buffers: Buffer[] = [];
const keptBuffers = 32;

function takeBuffer(): Buffer {
  return buffers.pop() ?? Buffer.allocUnsafeSlow(chunkBytes);
}

/** Gives a buffer back, if nothing reads from it any more. */
function giveBack(buffer: Buffer): void {
  if (buffers.length < keptBuffers) buffers.push(buffer);
}
