import { brotliCompressSync, gzipSync } from "node:zlib";
import type { ReleaseSettings } from "../../../contract/api/releases/release-settings.ts";
import { defaultSettings } from "../../../contract/api/releases/release-settings.ts";
import { pointerValue, previewKey, previewValue, releaseName } from "../../../edge/project/pointer.ts";
import { CopyFacts, writeCopyFacts } from "../../../functions/files/copy-facts.ts";
import { Manifest, writeManifest } from "../../../functions/files/manifests.ts";
import { fileKey } from "../../../functions/files/object-keys.ts";
import { writeObject } from "../../../functions/files/store.ts";
import { sha256 } from "../service/steps.ts";

/** Bytes of a large file that goes by its content, in the first release and in the later ones. */
export const [olderData, data] = ["older", "newer"].map((name) => Buffer.alloc(262_144, `${name} data `)) as [
  Buffer,
  Buffer,
];
/** Delta in a release for browsers that have the old file; nothing here unpacks it. */
export const delta = Buffer.from("a delta from the older data to the newer");

type Files = Readonly<Record<string, string | Buffer>>;

/** A script that has a Brotli variant. */
export const script = "let score = 0;".repeat(20);
const common: Files = {
  "index.html": "<!doctype html><p>first page",
  "game.js": script,
  "level/index.html": "<!doctype html><p>level",
  "assets/x.js": "let x;",
  "bytes.bin": Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)),
  "empty.txt": "",
  "a b/ü+;,=@&#~$!'().js": "odd",
  "Build/game.wasm.br": brotliCompressSync("wasm bytes"),
  "raw.json.gz": gzipSync("{}"),
  "sw.js": "addEventListener('fetch', () => {});",
};

/** The releases of a game in the order in which they went live; each has what the others lack. */
const releases: readonly [Files, Partial<ReleaseSettings>][] = [
  [
    { ...common, "old.js": "old", "404.html": "<p>lost", "data.bin": olderData, "assets/x-00000001.bin": olderData },
    { isolation: true },
  ],
  [
    { ...common, "spa.js": "spa", "index.html": "<p>second", "data.bin": data, "assets/x-00000002.bin": data },
    { spa: true, immutable: ["assets/**"], frame: ["https://portal.example"] },
  ],
  [
    {
      ...{ ...common, "new.js": "new", "index.html": "<p>third", "404.html": "<p>lost".repeat(50) },
      ...{ "data.bin": data, "assets/x-00000002.bin": data },
    },
    { immutable: ["assets/**"] },
  ],
];

/** A release's manifest, and the bytes of its files and of their variants. */
function releaseOf(files: Files, settings: Partial<ReleaseSettings>) {
  const contents: Buffer[] = [];
  const listed = Object.entries(files).map(([path, file]) => {
    const bytes = Buffer.isBuffer(file) ? file : Buffer.from(file);
    contents.push(bytes);
    const content = { path, size: bytes.length, sha256: sha256(bytes) };
    if (path.startsWith("raw")) return { ...content, encoding: "identity" as const };
    const variant = /\.(js|html|bin)$/.test(path) ? brotliCompressSync(bytes) : bytes;
    if (variant.length >= bytes.length) return content;
    contents.push(variant);
    const compressed = { ...content, br: { size: variant.length, sha256: sha256(variant) } };
    if (bytes !== data) return compressed;
    contents.push(delta);
    const deltas = [{ dictionary: sha256(olderData), size: delta.length, sha256: sha256(delta) }];
    return { ...compressed, deltas };
  });
  return { manifest: Manifest.of(listed, { ...defaultSettings, ...settings }), contents };
}

/** The digests of the games' releases, and what the key-value store says of each game. */
export interface StoredGames {
  readonly digests: readonly string[];
  /** The names of these releases, then of one that is swept, then of one that was never live. */
  readonly names: readonly string[];
  readonly values: Map<string, string>;
}

/** Stores a game's releases under several slugs, each in another state. */
export async function storeGames(): Promise<StoredGames> {
  const slugs = ["my-game", "spa-game", "isolated-game", "sold-game", "swept-game"];
  const made = releases.map((release) => releaseOf(...release));
  const contents = new Map(made.flatMap((release) => release.contents.map((bytes) => [sha256(bytes), bytes])));
  for (const slug of slugs) {
    // One after the other: the store is in this process, and on a busy machine many at once take longer than an attempt may.
    for (const [hash, bytes] of contents) await writeObject(fileKey(slug, hash), bytes);
    for (const { manifest } of made) {
      await writeManifest(slug, manifest.digest, await manifest.pack());
      await writeCopyFacts(slug, manifest.digest, new CopyFacts(new Map()));
    }
  }
  const digests = made.map(({ manifest }) => manifest.digest);
  const [isolated = "", spa = "", plain = "", swept = ""] = [...digests, "0".repeat(64)].map(releaseName);
  const live = (name: string, earlier: string[], more: { ownedSince?: string; fallback?: string } = {}) =>
    pointerValue({ kind: "live", live: name, earlier, ...more }) ?? "";
  const values = new Map([
    ["my-game", live(plain, [spa, isolated], { fallback: spa })],
    ["spa-game", live(spa, [isolated])],
    ["isolated-game", live(isolated, [plain, spa])],
    ["sold-game", live(plain, [spa], { ownedSince: "mh3k2p1a" })],
    ["swept-game", live(plain, [swept, spa], { fallback: swept })],
    ["unpublished", pointerValue({ kind: "unpublished" }) ?? ""],
    ["suspended", pointerValue({ kind: "takenDown" }) ?? ""],
    [previewKey("my-game", digests[1] ?? ""), previewValue({ release: spa, expiresAt: 4_000_000_000 })],
    [previewKey("my-game", digests[2] ?? ""), previewValue({ release: plain, expiresAt: 1_000_000_000 })],
  ]);
  return { digests, names: [isolated, spa, plain, swept, releaseName("f".repeat(64))], values };
}
