import { knownParts, type StoredFile } from "../../../contract/folder/chunks.ts";
import { ZipProblem } from "../../../contract/folder/zip-problem.ts";
import { Refused } from "../../../publisher/refused.ts";
import { explainRefusal } from "./offers.ts";
import { pagePlatform } from "./platform.ts";
import { Kept, preparePicked } from "./prepare.ts";
import type { FromWorker, Reading, Selection, ToWorker, ZippedRelease } from "./protocol.ts";
import { Refusal } from "./refusal.ts";
import type { ReleaseZip } from "./release-zip.ts";
import { assertCount, type BlobFile, fileOf } from "./source.ts";
import { removeSpooled, spool } from "./spool.ts";

/*
 * Reads, unpacks, hashes and compresses beside the page, which stays quick; and packs a release that is downloaded. One worker for one
 * publication or one download.
 */

/** The path of the encoder's module, which the build writes in (dashboard/build.ts). */
declare const encoderPath: string;

let sources: readonly BlobFile[] | undefined;
let contents: ReadonlyMap<string, BlobFile> = new Map();
/** Those that are sent in parts. */
let large: readonly StoredFile[] = [];
const kept = new Kept();
const platform = pagePlatform(encoderPath);

self.addEventListener("message", ({ data }: MessageEvent<ToWorker>) => {
  respond(data).catch((failure: unknown) => {
    const error = failure instanceof Refused ? explainRefusal(failure) : failure;
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
  if (asked.kind === "pack") return await pack(asked);
  if (asked.kind === "zip") return tell({ kind: "zip", zip: await completeZip() });
  if (asked.kind === "known") return tell({ kind: "known", known: await knownParts(asked, large, readIndex) });
  sources ??= await sourceFiles(asked.picked);
  const result = await preparePicked(sources, {
    ...asked,
    platform,
    onReading: seldom((reading: Reading) => tell({ kind: "reading", ...reading })),
    kept,
  });
  ({ contents, large } = result);
  tell({ kind: "prepared", prepared: result.prepared });
}

async function bytesOf(sha256: string): Promise<Blob> {
  const file = contents.get(sha256);
  // Of all that the manifest names, the worker has only not the bytes of a picture that was chosen before.
  if (file === undefined) throw new Refused({ code: "picture_gone" });
  return await file.blob();
}

let zip: ReleaseZip | undefined;

async function pack({ files, releaseBytes }: Extract<ToWorker, { kind: "pack" }>): Promise<void> {
  const { ReleaseZip } = await import("./release-zip.ts");
  zip ??= new ReleaseZip(platform.hashes, releaseBytes);
  await zip.add(
    files,
    seldom((bytes: number) => tell({ kind: "packing", bytes })),
  );
  tell({ kind: "packed" });
}

async function completeZip(): Promise<ZippedRelease> {
  if (zip === undefined) throw new Error("Nothing is packed");
  return { blob: await zip.close(), unchecked: zip.unchecked };
}

const timeoutMilliseconds = 10_000;

async function readIndex(url: string): Promise<Uint8Array> {
  const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMilliseconds) });
  return new Uint8Array(response.ok ? await response.arrayBuffer() : new ArrayBuffer(0));
}

/** The files of what a person picked. @throws ZipProblem for a zip that is none or cannot be unpacked safely */
async function sourceFiles(picked: Selection): Promise<BlobFile[]> {
  if (picked.kind === "zip") {
    const { filesOfZip } = await import("../../../contract/folder/zip.ts");
    return (await filesOfZip(picked.file)).map((file) => ({ ...file, blob: () => spool(file.stream(), file.size) }));
  }
  assertCount(picked.files.length);
  return picked.files.map(({ path, file }) => fileOf(path.normalize("NFC"), file));
}

const pauseMilliseconds = 100;

/** Tells the page how far it is, at most ten times a second. */
function seldom<Progress>(say: (progress: Progress) => void): (progress: Progress) => void {
  let last = 0;
  return (progress) => {
    if (performance.now() - last < pauseMilliseconds) return;
    last = performance.now();
    say(progress);
  };
}

function tell(message: FromWorker): void {
  // TypeScript takes this for a window, which has another postMessage.
  (self as unknown as { postMessage(message: FromWorker): void }).postMessage(message);
}
