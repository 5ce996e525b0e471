import { chunksIn, knownParts } from "../../../contract/folder/chunks.ts";
import { ZipProblem } from "../../../contract/folder/zip-problem.ts";
import { type Kept, prepare } from "./prepare.ts";
import type { FromWorker, HashedFile, Reading, Selection, ToWorker } from "./protocol.ts";
import { Refusal } from "./refusal.ts";
import { assertCount, type SourceFile } from "./source.ts";
import { removeSpooled, spool } from "./spool.ts";

/*
 * Reads, unpacks, hashes and compresses beside the page, which stays quick. One worker for one publication.
 */

/** The path of the encoder's module, which the build writes in (dashboard/build.ts). */
declare const encoderPath: string;

let sources: readonly SourceFile[] | undefined;
let contents: ReadonlyMap<string, SourceFile> = new Map();
let files: readonly HashedFile[] = [];
const kept: Kept = { hashes: new Map(), variants: new Map() };

self.addEventListener("message", ({ data }: MessageEvent<ToWorker>) => {
  respond(data).catch((error: unknown) => {
    if (error instanceof Refusal || error instanceof ZipProblem) {
      const { message: why, places } = error;
      tell({ kind: "refused", why, places, offer: error instanceof Refusal ? error.offer : undefined });
    } else tell({ kind: "failed", message: String(error) });
  });
});

async function respond(asked: ToWorker): Promise<void> {
  if (asked.kind === "stop") {
    await removeSpooled();
    return self.close();
  }
  if (asked.kind === "bytes") return tell({ kind: "bytes", blob: await bytesOf(asked.sha256) });
  if (asked.kind === "known")
    return tell({ kind: "known", known: await knownParts(asked, await chunkedContents(asked.missing), readIndex) });
  sources ??= await sourceFiles(asked.picked);
  const result = await prepare(sources, { ...asked, encoder: encoderPath, onReading: seldom(), kept });
  contents = result.contents;
  files = result.prepared.files;
  tell({ kind: "prepared", prepared: result.prepared });
}

async function bytesOf(sha256: string): Promise<Blob> {
  const file = contents.get(sha256);
  if (file === undefined) throw new Error(`The worker has no ${sha256}`);
  return await file.blob();
}

/** Those of these files and variants that have an index, with their chunks. */
async function chunkedContents(missing: readonly string[]) {
  const wanted = new Set(missing);
  const all = files.flatMap((file) => [file, ...(file.br ? [file.br] : [])]);
  const indexed = all.flatMap(({ index, ...file }) => (index && wanted.has(file.sha256) ? [{ ...file, index }] : []));
  return await Promise.all(
    indexed.map(async ({ size, sha256, index }) => {
      const bytes = await (await bytesOf(index.sha256)).arrayBuffer();
      return { size, sha256, chunks: chunksIn(new Uint8Array(bytes)) };
    }),
  );
}

const timeoutMilliseconds = 10_000;

async function readIndex(url: string): Promise<Uint8Array> {
  const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMilliseconds) });
  return new Uint8Array(response.ok ? await response.arrayBuffer() : new ArrayBuffer(0));
}

/** The files of what a person picked. @throws ZipProblem for a zip that is none or cannot be unpacked safely */
async function sourceFiles(picked: Selection): Promise<SourceFile[]> {
  if (picked.kind === "zip") {
    const { filesOfZip } = await import("../../../contract/folder/zip.ts");
    return (await filesOfZip(picked.file)).map((file) => ({ ...file, blob: () => spool(file.stream(), file.size) }));
  }
  assertCount(picked.files.length);
  return picked.files.map(({ path, file }) => ({
    path: path.normalize("NFC"),
    size: file.size,
    stream: () => file.stream(),
    blob: async () => file,
  }));
}

const pauseMilliseconds = 100;

/** Tells the page how far it is, at most ten times a second. */
function seldom(): (reading: Reading) => void {
  let last = 0;
  return (reading) => {
    if (performance.now() - last < pauseMilliseconds) return;
    last = performance.now();
    tell({ kind: "reading", ...reading });
  };
}

function tell(message: FromWorker): void {
  // TypeScript takes this for a window, which has another postMessage.
  (self as unknown as { postMessage(message: FromWorker): void }).postMessage(message);
}
