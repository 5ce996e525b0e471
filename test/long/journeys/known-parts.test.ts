import { randomBytes } from "node:crypto";
import { expect, test } from "@jest/globals";
import { Chunker } from "../../../contract/folder/chunks.ts";
import { nameOfParts } from "../../../contract/folder/parts.ts";
import { fileKey } from "../../../functions/files/object-keys.ts";
import { writeObject } from "../../../functions/files/store.ts";
import { createCliUser, publishResult, writeFiles } from "../../support/cli/cli.ts";
import { randomNumbers } from "../../support/random.ts";
import { usePublishingUser } from "../../support/service/publishing-user.ts";
import { makeLive, sha256 } from "../../support/service/steps.ts";
import { useFunctionEnvironment } from "../../support/service/suite.ts";
import { deleteObject, storedProject } from "../../support/table/stored-project.ts";

/*
 * A large file that has changed a little is sent in little, whoever sends it: docs/decisions/0059-large-files-in-parts.md.
 */
const user = usePublishingUser();
useFunctionEnvironment(user.service);
const mebibyte = 1024 * 1024;
const part = 5 * mebibyte;
/** Text that Brotli makes smaller, with pictures, which it does not: so a copy has 0.6 of its length. */
function compressible(length: number): Buffer {
  const words = Array.from({ length: 300 }, () => randomBytes(6).toString("hex"));
  const pieces: Buffer[] = [];
  for (let bytes = 0; bytes < length; ) {
    const text = Array.from({ length: 4_000 }, () => words[Math.floor(Math.random() ** 2 * 300)]).join(" ");
    const piece = Buffer.concat([Buffer.from(text), randomBytes(60_000)]);
    pieces.push(piece);
    bytes += piece.length;
  }
  return Buffer.concat(pieces).subarray(0, length);
}

const replaced = (bytes: Buffer, at: number, by: Buffer) =>
  Buffer.concat([bytes.subarray(0, at), by, bytes.subarray(at + by.length)]);

/** Publishes as a CI job would: with an empty home. */
async function publishElsewhere(files: Record<string, Buffer | string>) {
  const machine = createCliUser();
  try {
    writeFiles(`${machine.home}/game`, files);
    const env = { SVC_API: user.service.api, SVC_TOKEN: user.token.credential };
    return publishResult(await machine.run(["publish", "game", "--project", user.slug, "--json"], { env }));
  } finally {
    machine.leave();
  }
}

const publishHere = async (files: Record<string, Buffer | string>, ...args: string[]) => {
  user.write(files);
  return publishResult(await user.publish(...args));
};

test("of a compressed copy too what has changed is sent, a dry run says how much, and the person reads it", async () => {
  const first = compressible(32 * mebibyte);
  await publishHere({ "index.html": "1", "world.pck": first });
  const second = replaced(first, 16 * mebibyte, randomBytes(50_000));
  const dry = await publishHere({ "index.html": "1", "world.pck": second }, "--dry-run");
  const { stdout } = await user.svc(["publish", "game", "--project", user.slug]);
  const [, sent, unit, all] =
    /Sent (\d+(?:\.\d+)?) (MiB) of (\d+(?:\.\d+)?) MiB in [^;]+; the rest is on the server\./.exec(stdout) ?? [];
  expect({ unit }).toEqual({ unit: "MiB" });
  // The copy has parts too: it is larger than 16 MiB.
  expect(Number(all)).toBeGreaterThan(32 + 17);
  // A part of the file, and some of the copy, whose bytes are others until the compressor has forgotten the change.
  expect(Number(sent)).toBeLessThan(Number(all) / 2);
  expect(Math.abs(dry.to_send.bytes / mebibyte - Number(sent))).toBeLessThan(1);
  await user.expectLive({ "world.pck": second });
}, 180_000);

type Edit = (bytes: Buffer, random: (limit: number) => number) => Buffer;

/** A piece has up to 2 MB. */
const pieceOf = (random: (limit: number) => number) => randomBytes(1 + random(2_000_000));
const at = (bytes: Buffer, place: number, more: Buffer) =>
  Buffer.concat([bytes.subarray(0, place), more, bytes.subarray(place)]);
const without = (bytes: Buffer, from: number, end: number) =>
  Buffer.concat([bytes.subarray(0, from), bytes.subarray(end)]);
const edits: Readonly<Record<string, Edit>> = {
  insert: (bytes, random) => at(bytes, random(bytes.length), pieceOf(random)),
  delete: (bytes, random) => {
    const from = random(bytes.length);
    return without(bytes, from, from + random(2_000_000));
  },
  move: (bytes, random) => {
    const from = random(bytes.length);
    const end = Math.min(bytes.length, from + random(12_000_000));
    const rest = without(bytes, from, end);
    return at(rest, random(rest.length), bytes.subarray(from, end));
  },
  replace: (bytes, random) => {
    const piece = pieceOf(random);
    return replaced(bytes, random(bytes.length - piece.length), piece);
  },
  append: (bytes, random) => Buffer.concat([bytes, pieceOf(random)]),
};

/** Makes an index: "svc1", then of each chunk its length in three bytes and its checksum in four. */
function indexOf(chunks: readonly (readonly [length: number, checksum: number])[]): Buffer {
  return Buffer.concat([
    Buffer.from("svc1"),
    ...chunks.map(([length, checksum]) => {
      const chunk = Buffer.alloc(7);
      chunk.writeUIntLE(length, 0, 3);
      chunk.writeInt32LE(checksum, 3);
      return chunk;
    }),
  ]);
}

function chunksOf(index: Buffer): (readonly [number, number])[] {
  return Array.from({ length: (index.length - 4) / 7 }, (_, number) => [
    index.readUIntLE(4 + 7 * number, 3),
    index.readInt32LE(4 + 7 * number + 3),
  ]);
}

/** The index of these bytes. */
function rightIndex(bytes: Buffer): Buffer {
  const chunker = new Chunker();
  chunker.update(bytes);
  const { lengths, checksums } = chunker.chunks();
  return indexOf(lengths.map((length, number) => [length, checksums[number] ?? 0]));
}

const page = { files: [{ path: "index.html", size: 1, sha256: sha256("1") }] };

/** Makes a release live whose large file, which nobody tries to compress, has this index, as another client can. */
async function makeLiveWith(world: Buffer, index: Buffer): Promise<void> {
  const hashes = Array.from({ length: Math.ceil(world.length / part) }, (_, number) =>
    sha256(world.subarray(number * part, (number + 1) * part)),
  );
  const name = nameOfParts(hashes);
  for (const [key, bytes] of [
    [name, world],
    [sha256(index), index],
    [sha256("1"), Buffer.from("1")],
  ] as const)
    await writeObject(fileKey(user.slug, key), bytes);
  const file = { path: "world.mp4", size: world.length, sha256: name };
  const files = [...page.files, { ...file, index: { size: index.length, sha256: sha256(index) } }];
  const { body } = await user.developer.post(`/projects/${user.slug}/releases`, { files });
  expect((await makeLive(user.developer, user.slug, body.release.id)).status).toBe(200);
}

/** Index of the live file that the next publication reads, made from that file and the next one. */
const hints: Readonly<Record<string, (live: Buffer, next: Buffer) => Buffer>> = {
  right: (live) => rightIndex(live),
  // Index of the next file, as if it were there already: each part is at its own place, most with other bytes.
  wrong: (_, next) => rightIndex(next),
  // Index of a file that had another beginning.
  stale: (live) => indexOf([[200_000, 7], ...chunksOf(rightIndex(live))]),
  hostile: (live) => {
    const chunks = chunksOf(rightIndex(live));
    const [first = [0, 0]] = chunks;
    return indexOf([[0, 0], first, first, ...chunks.toReversed(), [0xffffff, 1], ...chunks, [0, -1]]);
  },
};

const trials = Number(process.env["RANDOM_EDITS"] ?? 4);
const [minBytes, maxBytes] = trials > 4 ? [20 * mebibyte, 80 * mebibyte] : [17 * mebibyte, 24 * mebibyte];
const kinds = Object.keys(hints);
/** Part of the file that was sent, by the kind of its hint. */
const shares: Record<string, number[]> = {};

test.each(Array.from({ length: trials }, (_, trial) => [trial, kinds[trial % kinds.length] ?? ""] as const))(
  "a file is published byte for byte after random edits (%i), with hints that are %s",
  async (trial, kind) => {
    const numbers = randomNumbers(trial);
    const random = (limit: number) => Math.floor(numbers() * Math.max(1, limit));
    const before = randomBytes(minBytes + random(maxBytes - minBytes));
    const names = Array.from({ length: 1 + random(3) }, () => Object.keys(edits)[random(5)] ?? "");
    const after = names.reduce<Buffer>((bytes, name) => edits[name]?.(bytes, random) ?? bytes, before);
    const index = hints[kind]?.(before, after) ?? Buffer.alloc(0);
    await makeLiveWith(before, index);
    const { sent } = await publishElsewhere({ "index.html": "1", "world.mp4": after });
    await user.expectLive({ "world.mp4": after });
    shares[kind] = [...(shares[kind] ?? []), sent.bytes / after.length];
    for (const key of (await storedProject(user.service, user.slug)).objects)
      await deleteObject(user.service, `projects/${user.slug}/${key}`);
  },
  120_000,
);

test("with right hints less is sent than the file", () => {
  const mean = (all: readonly number[]) => all.reduce((sum, share) => sum + share, 0) / all.length;
  const means = Object.fromEntries(Object.entries(shares).map(([kind, all]) => [kind, Number(mean(all).toFixed(3))]));
  if (trials > 4) console.log(means);
  expect(means["right"]).toBeLessThan(trials > 4 ? 0.4 : 0.8);
});
