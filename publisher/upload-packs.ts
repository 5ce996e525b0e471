import { limits } from "../contract/api/limits.ts";
import type { ManifestFile } from "../contract/api/releases/manifest-rules.ts";
import { ApiError, NetworkError } from "../contract/api-error.ts";
import type { Client } from "../contract/client.ts";
import { hexadecimal, packBytes, packOf } from "../contract/folder/packs.ts";
import type { Put, Range, UploadContent } from "./ports.ts";
import type { UploadUrl } from "./upload-urls.ts";

/* Small files are sent in packs: docs/decisions/0079-packs.md. */

/** Files that are sent as one. */
export interface Pack<File extends UploadContent> {
  readonly sent: readonly File[];
  /** Files that the service makes of the Brotli copies among them. */
  readonly made: readonly File[];
  /** The length of the pack. */
  readonly size: number;
}

export interface Packing<File extends UploadContent> {
  readonly packs: readonly Pack<File>[];
  /** What is sent one by one. */
  readonly single: readonly File[];
}

/** Fewer are sent one by one: a pack takes three requests. */
const minPacked = 8;
/** So many packs, of the least length, are on their way while the first one is unpacked. */
const packsOfFew = 4;
const minPackBytes = 512 * 1024;

/**
 * How missing files of a release are sent: small ones in packs, and of a file with a Brotli copy the copy alone if both are missing.
 *
 * @param files of the release, which say whose copies are whose
 * @param maxPlainBytes of a file without a copy: larger ones go one by one, because this program sends many at once
 */
export function packingOf<File extends UploadContent>(
  missing: readonly File[],
  files: readonly Pick<ManifestFile, "sha256" | "size" | "br">[],
  maxPlainBytes: number = limits.packedFileBytes,
): Packing<File> {
  const isSmall = ({ size }: { readonly size: number }) => size <= limits.packedFileBytes;
  const bySha256 = new Map(missing.filter(isSmall).map((file) => [file.sha256, file]));
  const pairs = files.filter((file) => isSmall(file) && file.br && bySha256.has(file.br.sha256));
  const madeOf = new Map(pairs.flatMap(({ sha256, br }) => (br ? [[br.sha256, bySha256.get(sha256)] as const] : [])));
  const made = new Set([...madeOf.values()].map((file) => file?.sha256));
  const isSent = ({ sha256, size }: File) => !made.has(sha256) && (madeOf.has(sha256) || size <= maxPlainBytes);
  const sent = [...bySha256.values()].filter(isSent);
  if (sent.length + made.size < minPacked) return { packs: [], single: missing };
  const share = Math.max(packBytes(sent) / packsOfFew, minPackBytes) + limits.packedFileBytes;
  const wanted = Math.min(share, limits.bytesPerPack - packBytes([]));
  const packs = inPacks(sent, wanted).map((some) => ({
    sent: some,
    made: some.flatMap(({ sha256 }) => madeOf.get(sha256) ?? []),
    size: packBytes(some),
  }));
  const packed = new Set(packs.flatMap((pack) => [...pack.sent, ...pack.made]));
  return { packs, single: missing.filter((file) => !packed.has(file)) };
}

/** Bytes of missing files that the service makes of their Brotli copies, so that they are not sent. */
export function madeBytes(
  missing: readonly string[],
  files: readonly Pick<ManifestFile, "path" | "sha256" | "size" | "br">[],
): number {
  const lacking = new Set(missing);
  const contents = files.flatMap((file) => [file, ...(file.br ? [{ ...file.br, path: file.path }] : [])]);
  const unique = new Map(contents.filter(({ sha256 }) => lacking.has(sha256)).map((file) => [file.sha256, file]));
  const { packs } = packingOf([...unique.values()], files);
  return packs.flatMap(({ made }) => made).reduce((sum, { size }) => sum + size, 0);
}

function inPacks<File extends UploadContent>(files: readonly File[], wantedBytes: number): File[][] {
  const packs: File[][] = [];
  let [pack, bytes]: [File[], number] = [[], 0];
  for (const file of files) {
    const more = packBytes([file]) - packBytes([]);
    if (pack.length > 0 && (bytes + more > wantedBytes || pack.length >= limits.objectsPerPack)) {
      packs.push(pack);
      [pack, bytes] = [[], 0];
    }
    pack.push(file);
    bytes += more;
  }
  return pack.length > 0 ? [...packs, pack] : packs;
}

interface PacksUpload<File extends UploadContent> {
  readonly client: Client;
  readonly params: { readonly slug: string; readonly id: string };
  readonly packs: readonly Pack<File>[];
  readonly signal: AbortSignal;
  /** The bytes of a file. */
  read(file: File): Promise<Uint8Array<ArrayBuffer>>;
  openPack(bytes: Uint8Array<ArrayBuffer>): Put;
  /** Sends a pack, and retries it. */
  send(range: Range, url: UploadUrl, put: Put): Promise<void>;
  /** Called when the service has the files of a pack. */
  onPack(pack: Pack<File>): void;
}

/** Each is in memory, and is being unpacked while the next ones are on the line. */
const packsAtOnce = 4;
const tries = 3;

/**
 * Sends packs, and has them unpacked. What the service does not take so is left to be sent one by one: it is of an earlier version, or a file
 * has changed, which sending it says.
 *
 * @returns the files that are left
 * @throws NetworkError, or the signal's reason
 */
export async function sendPacks<File extends UploadContent>(upload: PacksUpload<File>): Promise<File[]> {
  const left: File[] = [];
  let isTaken = true;
  const queue = upload.packs.values();
  const slots = freeSlots();
  const work = async () => {
    for (const pack of queue) {
      const outcome = isTaken ? await attempt(pack, upload, slots) : "refused";
      if (outcome === "unpacked") upload.onPack(pack);
      else left.push(...pack.sent, ...pack.made);
      if (outcome === "unknown") isTaken = false;
    }
  };
  await Promise.all(Array.from({ length: packsAtOnce }, work));
  return left;
}

/** All slots, from any one on: another publication of the same credential begins with others. */
function freeSlots(): number[] {
  const first = Math.floor(Math.random() * limits.packSlots);
  return Array.from({ length: limits.packSlots }, (_, index) => (first + index) % limits.packSlots);
}

/** `refused`: this pack; `unknown`: every one. */
type Outcome = "unpacked" | "refused" | "unknown";

async function attempt<File extends UploadContent>(
  pack: Pack<File>,
  upload: PacksUpload<File>,
  slots: number[],
): Promise<Outcome> {
  try {
    const bytes = packOf(
      await Promise.all(pack.sent.map(async (file) => ({ sha256: file.sha256, bytes: await upload.read(file) }))),
    );
    const sha256 = hexadecimal(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
    for (let number = 0; number < tries; number += 1)
      if (await sendInSlot({ bytes, sha256 }, upload, slots)) return "unpacked";
    return "refused";
  } catch (failure) {
    upload.signal.throwIfAborted();
    if (failure instanceof NetworkError) throw failure;
    return failure instanceof ApiError && failure.code !== "pack_refused" ? "unknown" : "refused";
  }
}

/** @returns false if another publication has taken the slot */
async function sendInSlot<File extends UploadContent>(
  { bytes, sha256 }: { readonly bytes: Uint8Array<ArrayBuffer>; readonly sha256: string },
  { client, params, openPack, send }: PacksUpload<File>,
  slots: number[],
): Promise<boolean> {
  const slot = slots.shift() ?? 0;
  const size = bytes.length;
  let isUnpacked = false;
  const ask = async () => {
    const { unpacked, upload } = await client.call("POST /projects/:slug/releases/:id/packs", {
      params,
      body: { slot, size, sha256 },
    });
    isUnpacked = unpacked;
    return upload ?? undefined;
  };
  try {
    let target = await ask();
    const of = async () => {
      target ??= isUnpacked ? undefined : await ask();
      return target;
    };
    const replace = () => {
      target = undefined;
    };
    if (!isUnpacked) await send({ start: 0, size }, { of, replace }, openPack(bytes));
    if (!isUnpacked) await ask();
    return isUnpacked;
  } finally {
    slots.push(slot);
  }
}
