import { limits } from "../contract/api/limits.ts";
import type { ManifestFile } from "../contract/api/releases/manifest-rules.ts";
import { ApiError, NetworkError } from "../contract/api-error.ts";
import type { Client } from "../contract/client.ts";
import { hexadecimal, packBytes, packOf } from "../contract/folder/packs.ts";
import type { Put, Range, UploadContent, UploadTarget } from "./ports.ts";
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
/** Into so many packs are few files divided: while one is on the line, those before it are unpacked. */
const packsOfFew = 5;
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

/** Bytes of missing files that the service makes of their Brotli copies, so that they are not sent. @param maxPlainBytes see {@link packingOf} */
export function madeBytes(
  missing: readonly string[],
  files: readonly Pick<ManifestFile, "path" | "sha256" | "size" | "br">[],
  maxPlainBytes?: number,
): number {
  const lacking = new Set(missing);
  const contents = files.flatMap((file) => [file, ...(file.br ? [{ ...file.br, path: file.path }] : [])]);
  const unique = new Map(contents.filter(({ sha256 }) => lacking.has(sha256)).map((file) => [file.sha256, file]));
  const { packs } = packingOf([...unique.values()], files, maxPlainBytes);
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

/** Each is in memory, on the line or being unpacked. */
const packsAtOnce = 4;
/** All at once would arrive together and wait for their unpacking together; one alone leaves the line idle during its round trips. */
const packsOnLine = 2;
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
  // The smallest first: so they arrive one after the other, and each is unpacked while the next one comes.
  const queue = upload.packs.toSorted((a, b) => a.size - b.size).values();
  const shared = { slots: freeSlots(), line: new Turns(packsOnLine) };
  const work = async () => {
    for (const pack of queue) {
      const outcome = isTaken ? await attempt(pack, upload, shared) : "refused";
      if (outcome === "unpacked") upload.onPack(pack);
      else left.push(...pack.sent, ...pack.made);
      if (outcome === "unknown") isTaken = false;
    }
  };
  await Promise.all(Array.from({ length: packsAtOnce }, work));
  return left;
}

/** So many at a time have a turn, the others in the order in which they came. */
class Turns {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((begin) => this.#waiting.push(begin));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
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
  { slots, line }: { readonly slots: number[]; readonly line: Turns },
): Promise<Outcome> {
  let content: PackContent | undefined;
  try {
    for (let number = 0; number < tries; number += 1) {
      const slot = slots.shift() ?? 0;
      try {
        const request = async () => await requestUnpacking({ ...upload, slot, content: content as PackContent });
        const isUnpacked = await line.during(async () => {
          content ??= await contentOf(pack, upload);
          return await sendInSlot(content, upload, request);
        });
        if (isUnpacked || (await request()).isUnpacked) return "unpacked";
      } finally {
        slots.push(slot);
      }
    }
    return "refused";
  } catch (failure) {
    upload.signal.throwIfAborted();
    if (failure instanceof NetworkError) throw failure;
    return failure instanceof ApiError && failure.code !== "pack_refused" ? "unknown" : "refused";
  }
}

interface PackContent {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly sha256: string;
}

async function contentOf<File extends UploadContent>(
  { sent }: Pack<File>,
  { read }: PacksUpload<File>,
): Promise<PackContent> {
  const bytes = packOf(await Promise.all(sent.map(async (file) => ({ sha256: file.sha256, bytes: await read(file) }))));
  return { bytes, sha256: hexadecimal(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))) };
}

interface PackState {
  readonly isUnpacked: boolean;
  /** Where it goes, if it is not unpacked. */
  readonly target: UploadTarget | undefined;
}

async function requestUnpacking({
  client,
  params,
  slot,
  content: { bytes, sha256 },
}: Pick<PacksUpload<UploadContent>, "client" | "params"> & { readonly slot: number; readonly content: PackContent }) {
  const body = { slot, size: bytes.length, sha256 };
  const { unpacked, upload } = await client.call("POST /projects/:slug/releases/:id/packs", { params, body });
  return { isUnpacked: unpacked, target: upload ?? undefined };
}

/** Sends a pack to the store. @returns whether it is unpacked already */
async function sendInSlot<File extends UploadContent>(
  { bytes }: PackContent,
  { openPack, send }: PacksUpload<File>,
  request: () => Promise<PackState>,
): Promise<boolean> {
  let state: PackState | undefined = await request();
  const of = async () => {
    state ??= await request();
    return state.target;
  };
  const replace = () => {
    state = undefined;
  };
  if (!state.isUnpacked) await send({ start: 0, size: bytes.length }, { of, replace }, openPack(bytes));
  return state?.isUnpacked ?? false;
}
