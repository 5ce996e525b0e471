import { createHash, randomUUID } from "node:crypto";
import { type ManifestFile, seenBytesOf } from "../../../contract/api/releases/manifest-rules.ts";
import { dictionaryPath } from "../../../contract/api/releases/release-settings.ts";
import { isSentInParts } from "../../../contract/folder/content-hash.ts";
import { CopyFacts, findCopyFacts, writeCopyFacts } from "../../files/copy-facts.ts";
import {
  type CheckRequest,
  findCheckRequests,
  readCheckRequest,
  readFindings,
  writeFindings,
} from "../../files/copy-requests.ts";
import { StoreRefusal } from "../../files/http-client.ts";
import { type CopyClaim, claimKey, findManifest, type Manifest } from "../../files/manifests.ts";
import { fileKey } from "../../files/object-keys.ts";
import { findMissing } from "../../files/presence.ts";
import { readInPieces } from "../../files/store.ts";
import {
  isDeltaFrom,
  isPlainDictionary,
  largestDictionary,
  unpackBrotli,
  unpackDelta,
  unpackStored,
} from "../../files/unpacking.ts";

/*
 * What a copy gives is found out once, when it has arrived: docs/decisions/0073-deltas.md#a-copy-is-a-claim-until-the-service-has-unpacked-it.
 */

/** `waiting`: copies have not arrived yet, and those that have are checked; `again`: the time was over. */
type CheckOutcome = "checked" | "waiting" | "again";

/** Requests of a project that an arrival of files is looked for in: the latest ones. */
const requestsLookedAt = 5;

/** Checks what a request asks for, by its key. @returns whether there was time for all */
export async function checkRequested(key: string, hasTime: () => boolean): Promise<boolean> {
  return (await checkCopies(await readCheckRequest(key), hasTime)) !== "again";
}

/** Checks what has arrived of a project's files, for the latest requests. @returns whether there was time for all */
export async function checkArrived(slug: string, hasTime: () => boolean): Promise<boolean> {
  const requests = await findCheckRequests(slug, requestsLookedAt);
  for (const request of requests) if ((await checkCopies(request, hasTime)) === "again") return false;
  return true;
}

/**
 * Checks the copies of a manifest that have arrived. Two at once do no harm: both find out the same. One that is stopped is done again, but
 * for what it has noted.
 */
async function checkCopies(
  { slug, digest, older, onlyNamed }: CheckRequest,
  hasTime: () => boolean,
): Promise<CheckOutcome> {
  if (await findCopyFacts(slug, digest)) return "checked";
  const manifest = await findManifest(slug, digest);
  // Nobody needs the copies of a release that was swept meanwhile.
  if (manifest === undefined) return "checked";
  const claims = manifest.copies();
  const earlierVerdicts = await knownVerdicts({ slug, digest, older }, claims);
  const open = claims.filter((claim) => !earlierVerdicts.has(claimKey(claim)));
  const arrived = await arrivedOf(slug, open);
  const judge = new Judge(slug, [manifest, ...(await manifestsOf(slug, older))], onlyNamed);
  const isComplete = arrived.length === open.length;
  const newVerdicts = await judgeAll(judge, arrived, hasTime);
  const verdicts = new Map([...earlierVerdicts, ...newVerdicts]);
  if (isComplete && claims.every((claim) => verdicts.has(claimKey(claim)))) {
    const wrong = [...verdicts].flatMap(([key, verdict]) => (verdict === "true" ? [] : [[key, verdict] as const]));
    await writeCopyFacts(slug, digest, new CopyFacts(new Map(wrong)));
    return "checked";
  }
  // That a dictionary is missing is known only when everything has arrived.
  const lasting = claims.flatMap((claim, index) => {
    const verdict = newVerdicts.get(claimKey(claim));
    return verdict === "true" || verdict === "different" ? [{ index, verdict }] : [];
  });
  if (lasting.length > 0) await writeFindings({ slug, digest, name: randomUUID() }, lasting);
  return hasTime() ? "waiting" : "again";
}

/** What was found out before: of this manifest, and of others that name the same copies of the same files. */
async function knownVerdicts(
  { slug, digest, older }: CheckRequest,
  claims: readonly CopyClaim[],
): Promise<Map<string, Verdict>> {
  const verdicts = new Map<string, Verdict>();
  for (const { index, verdict } of await readFindings(slug, digest)) {
    const claim = claims[index];
    if (claim) verdicts.set(claimKey(claim), verdict);
  }
  for (const other of older) {
    const [manifest, facts] = await Promise.all([findManifest(slug, other), findCopyFacts(slug, other)]);
    if (manifest === undefined || facts === undefined) continue;
    for (const claim of manifest.copies()) if (facts.isTrue(claim)) verdicts.set(claimKey(claim), "true");
  }
  return verdicts;
}

async function manifestsOf(slug: string, digests: readonly string[]): Promise<Manifest[]> {
  const manifests = await Promise.all(digests.map((digest) => findManifest(slug, digest)));
  return manifests.filter((manifest) => manifest !== undefined);
}

async function arrivedOf(slug: string, claims: readonly CopyClaim[]): Promise<CopyClaim[]> {
  // A large file may have to be compared with its copy, because only its publisher knows its parts, and one that browsers unpack always.
  const isCompared = ({ file }: CopyClaim) => isSentInParts(file.size) || isUnpacked(file);
  const needed = (claim: CopyClaim) => (isCompared(claim) ? [claim.copy, claim.file] : [claim.copy]);
  const objects = new Map(claims.flatMap(needed).map(({ sha256, size }) => [sha256, size]));
  const missing = new Set((await findMissing({ slug }, objects)).map(({ sha256 }) => sha256));
  return claims.filter((claim) => needed(claim).every(({ sha256 }) => !missing.has(sha256)));
}

/** Whether browsers have other bytes of a file than its hash names: what its Brotli gives. */
function isUnpacked(file: CopyClaim["file"]): boolean {
  return seenBytesOf(file) !== file.sha256;
}

const atOnce = 16;
/** What is larger is unpacked alone: its bytes are in memory. */
const largeBytes = 4 * 1024 * 1024;

/** Those of one dictionary follow each other, so that it is read once. */
async function judgeAll(
  judge: Judge,
  claims: readonly CopyClaim[],
  hasTime: () => boolean,
): Promise<Map<string, Verdict>> {
  const verdicts = new Map<string, Verdict>();
  const isSmall = ({ copy, file }: CopyClaim) => copy.dictionary === undefined && file.size <= largeBytes;
  const work = async (queue: Iterable<CopyClaim>) => {
    for (const claim of queue) {
      if (!hasTime()) return;
      verdicts.set(claimKey(claim), await judge.verdictOf(claim));
    }
  };
  const small = claims.filter(isSmall).values();
  await Promise.all(Array.from({ length: atOnce }, () => work(small)));
  const large = claims.filter((claim) => !isSmall(claim));
  await work(large.toSorted((a, b) => ((a.copy.dictionary ?? "") < (b.copy.dictionary ?? "") ? -1 : 1)));
  return verdicts;
}

/** `unusable`: a delta whose dictionary is gone, or is one that decoders understand differently, or of a file that they do. */
type Verdict = "true" | "different" | "unusable";

/** Unpacks copies of a project. */
class Judge {
  readonly #slug: string;
  readonly #manifests: readonly Manifest[];
  readonly #onlyNamed: boolean;
  #dictionaries: readonly ReadonlyMap<string, ManifestFile>[] | undefined;
  #dictionary: { readonly name: string; readonly bytes: Buffer | undefined } | undefined;

  /**
   * @param manifests the checked one, then others; in their files dictionaries are looked for
   * @param onlyNamed whether no other file of the project is a dictionary
   */
  constructor(slug: string, manifests: readonly Manifest[], onlyNamed = false) {
    this.#slug = slug;
    this.#onlyNamed = onlyNamed;
    this.#manifests = manifests;
  }

  async verdictOf(claim: CopyClaim): Promise<Verdict> {
    const { file, copy } = claim;
    const { dictionary } = copy;
    const packed = readInPieces(fileKey(this.#slug, copy.sha256));
    if (dictionary === undefined) return await this.#compared(file, await unpackBrotli(packed, file));
    const delta = await joined(packed);
    if (!isDeltaFrom(delta, dictionary)) return "different";
    if (isUnpacked(file)) return await this.#verdictOfUnpacked(file, delta, dictionary);
    const bytes = await this.#dictionaryOf(dictionary, () => this.#findDictionary(dictionary));
    if (bytes === undefined || !isPlainDictionary(bytes)) return "unusable";
    return await this.#compared(file, await unpackDelta(delta, bytes, file));
  }

  /** Of a file that is stored in Brotli: browsers make what it unpacks to from what an older one does. */
  async #verdictOfUnpacked(file: CopyClaim["file"], delta: Buffer, dictionary: string): Promise<Verdict> {
    const place = this.#placeOf(file);
    if (place === undefined) return "unusable";
    const find = () => this.#findUnpacked(place, dictionary);
    const bytes = await this.#dictionaryOf(`${dictionary} ${place}`, find);
    if (bytes === undefined || !isPlainDictionary(bytes)) return "unusable";
    const whole = await unpackStored(readInPieces(fileKey(this.#slug, file.sha256)));
    if (whole === undefined) return "unusable";
    return (await unpackDelta(delta, bytes, whole))?.sha256 === whole.sha256 ? "true" : "different";
  }

  #placeOf(file: CopyClaim["file"]): string | undefined {
    const [checked] = this.#manifests;
    return checked && dictionaryPath(file, checked.settings);
  }

  async #compared(
    { sha256, size }: CopyClaim["file"],
    unpacked: Awaited<ReturnType<typeof unpackBrotli>>,
  ): Promise<Verdict> {
    if (unpacked === undefined) return "different";
    if (unpacked.name === sha256 || unpacked.sha256 === sha256) return "true";
    // The name of a file that was sent in other parts than ours says which bytes it has only together with these parts.
    const isFile = isSentInParts(size) && unpacked.sha256 === (await hashOf(fileKey(this.#slug, sha256)));
    return isFile ? "true" : "different";
  }

  /** One dictionary alone is kept: it may be large. */
  async #dictionaryOf(name: string, find: () => Promise<Buffer | undefined>): Promise<Buffer | undefined> {
    if (this.#dictionary?.name !== name) {
      this.#dictionary = undefined;
      this.#dictionary = { name, bytes: await find() };
    }
    return this.#dictionary.bytes;
  }

  /** A dictionary goes by the SHA-256 of its bytes, which is not the name of a file that was sent in parts. */
  async #findDictionary(sha256: string): Promise<Buffer | undefined> {
    const named = new Map(this.#manifests.flatMap((manifest) => [...manifest.sizes()]));
    const mayBeOwn = !this.#onlyNamed || named.has(sha256);
    const dictionary = mayBeOwn ? await readDictionary(fileKey(this.#slug, sha256)) : undefined;
    if (dictionary !== undefined && hashOfBytes(dictionary) === sha256) return dictionary;
    for (const [name, size] of named) {
      if (!isSentInParts(size) || size > largestDictionary) continue;
      const key = fileKey(this.#slug, name);
      const hash = hashes.get(key);
      if (hash !== undefined && hash !== sha256) continue;
      const bytes = await readDictionary(key);
      if (bytes === undefined) continue;
      remember(key, hashOfBytes(bytes));
      if (hashes.get(key) === sha256) return bytes;
    }
    return undefined;
  }

  /** Of each manifest one file can be it, so that no more is unpacked: the one from which a browser makes what has this place. */
  async #findUnpacked(place: string, sha256: string): Promise<Buffer | undefined> {
    this.#dictionaries ??= this.#manifests.slice(1).map((manifest) => manifest.dictionaries());
    const all = this.#dictionaries.map((files) => files.get(place));
    const files = new Map(all.flatMap((file) => (file && isUnpacked(file) ? [[file.sha256, file] as const] : [])));
    for (const file of files.values()) {
      const name = seenBytesOf({ ...file, sha256: fileKey(this.#slug, file.sha256) });
      const hash = hashes.get(name);
      if (hash !== undefined && hash !== sha256) continue;
      const pieces: Buffer[] = [];
      const packed = readInPieces(fileKey(this.#slug, file.sha256));
      const unpacked = await unlessGone(unpackStored(packed, (piece) => pieces.push(piece)));
      if (unpacked === undefined) continue;
      remember(name, unpacked.sha256);
      if (unpacked.sha256 === sha256) return Buffer.concat(pieces);
    }
    return undefined;
  }
}

/** SHA-256s of large objects, or of what they unpack to, that a warm function has read: objects never change. */
const hashes = new Map<string, string>();
const hashesKept = 10_000;

function remember(key: string, sha256: string): void {
  if (hashes.size >= hashesKept) hashes.clear();
  hashes.set(key, sha256);
}

function hashOfBytes(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

async function hashOf(key: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const piece of readInPieces(key)) hash.update(piece);
  return hash.digest("hex");
}

/** Undefined if there is none. One that is too large is cut behind that limit. */
async function readDictionary(key: string): Promise<Buffer | undefined> {
  return await unlessGone(joined(readInPieces(key, largestDictionary + 1)));
}

async function unlessGone<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof StoreRefusal && [403, 404].includes(error.status)) return undefined;
    throw error;
  }
}

async function joined(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}
