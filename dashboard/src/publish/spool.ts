import { eachPiece } from "../../../publisher/source.ts";

/*
 * Keeps large unpacked files on disk, in the origin's private file system, so that memory stays flat. If the browser gives
 * none (a private window of Firefox) it makes a Blob in pieces, of which the browser keeps what it can on disk.
 */

const folderName = "unpacked";
const inMemoryBytes = 8 * 1024 * 1024;

/** The folder of this worker; made once, after what earlier workers left behind is removed. */
let opening: Promise<FileSystemDirectoryHandle | undefined> | undefined;
let count = 0;

/** The bytes of a stream as a Blob. */
export async function spool(stream: ReadableStream<Uint8Array>, size: number): Promise<Blob> {
  if (size > inMemoryBytes) {
    opening ??= openFolder().catch(() => undefined);
    const folder = await opening;
    if (folder !== undefined) return await onDisk(folder, stream);
  }
  return await inPieces(stream);
}

/** File handle with the method that TypeScript knows in workers alone. */
interface WorkerFileHandle extends FileSystemFileHandle {
  createSyncAccessHandle(): Promise<{ write(bytes: Uint8Array<ArrayBuffer>): number; close(): void }>;
}

async function onDisk(folder: FileSystemDirectoryHandle, stream: ReadableStream<Uint8Array>): Promise<Blob> {
  count += 1;
  const handle = await folder.getFileHandle(String(count), { create: true });
  const file = await (handle as WorkerFileHandle).createSyncAccessHandle();
  try {
    await eachPiece(stream, (piece) => void file.write(piece));
  } finally {
    file.close();
  }
  return await handle.getFile();
}

async function inPieces(stream: ReadableStream<Uint8Array>): Promise<Blob> {
  const pieces: Blob[] = [];
  let chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  const cut = () => {
    pieces.push(new Blob(chunks));
    [chunks, bytes] = [[], 0];
  };
  await eachPiece(stream, (chunk) => {
    chunks.push(new Uint8Array(chunk));
    bytes += chunk.length;
    if (bytes >= inMemoryBytes) cut();
  });
  cut();
  return new Blob(pieces);
}

/** Removes what is on disk; Blobs of it cannot be read any more. */
export async function removeSpooled(): Promise<void> {
  const folder = await opening;
  for await (const name of folder?.keys() ?? []) await folder?.removeEntry(name).catch(() => {});
}

/**
 * A folder of its own for each worker. The lock shows the next worker that this one is at work: folders without a lock are of
 * tabs that are closed.
 */
async function openFolder(): Promise<FileSystemDirectoryHandle> {
  const root = await (await navigator.storage.getDirectory()).getDirectoryHandle(folderName, { create: true });
  const { held = [] } = await navigator.locks.query();
  const atWork = new Set(held.map(({ name }) => name));
  for await (const name of root.keys())
    if (!atWork.has(lockOf(name))) await root.removeEntry(name, { recursive: true }).catch(() => {});
  const id = crypto.randomUUID();
  await new Promise<void>((resolve) => {
    void navigator.locks.request(lockOf(id), () => {
      resolve();
      // Until the worker stops.
      return new Promise(() => {});
    });
  });
  return await root.getDirectoryHandle(id, { create: true });
}

function lockOf(name: string): string {
  return `svc.${folderName}.${name}`;
}
