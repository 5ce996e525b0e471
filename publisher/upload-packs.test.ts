import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, test } from "@jest/globals";
import { ApiError, NetworkError } from "../contract/api-error.ts";
import type { Client } from "../contract/client.ts";
import { objectsIn } from "../contract/folder/packs.ts";
import { madeBytes, packingOf, sendPacks } from "./upload-packs.ts";

const name = (index: number) => index.toString(16).padStart(64, "0");
const fileOf = (index: number, size = 1_000) => ({ path: `${index}.txt`, sha256: name(index), size });
const filesOf = (count: number, size?: number) => Array.from({ length: count }, (_, index) => fileOf(index, size));
/** Files with copies, and what is missing of them: both. */
const withCopies = (count: number) => {
  const files = filesOf(count).map((file, index) => ({ ...file, br: { size: 300, sha256: name(100_000 + index) } }));
  return { files, missing: [...files, ...files.map(({ br, path }) => ({ ...br, path: `${path} (Brotli)` }))] };
};
const inPacks = ({ packs }: ReturnType<typeof packingOf>) => packs.flatMap(({ sent }) => sent);

describe("missing files", () => {
  test("that are small go in packs, the others one by one, and a few do too", () => {
    const files = [...filesOf(20), fileOf(90, 64 * 1024), fileOf(91, 64 * 1024 + 1)];
    const packing = packingOf(files, files);
    expect(packing.single.map(({ path }) => path)).toEqual(["91.txt"]);
    expect(inPacks(packing)).toHaveLength(21);
    expect(packingOf(filesOf(7), files)).toEqual({ packs: [], single: filesOf(7) });
  });

  test("that the service makes of their copies are not sent", () => {
    const { files, missing } = withCopies(20);
    const packing = packingOf(missing, files);
    expect(inPacks(packing).map(({ size }) => size)).toEqual(Array(20).fill(300));
    expect(packing.packs.flatMap(({ made }) => made)).toEqual(files);
    expect(packing.single).toEqual([]);
    expect(
      madeBytes(
        missing.map(({ sha256 }) => sha256),
        files,
      ),
    ).toBe(20_000);
  });

  test("whose copy is there are sent themselves, and copies whose file is there too", () => {
    const { files, missing } = withCopies(20);
    for (const some of [missing.slice(0, 20), missing.slice(20)]) {
      const packing = packingOf(some, files);
      expect(inPacks(packing)).toEqual(some);
      expect(packing.packs.flatMap(({ made }) => made)).toEqual([]);
    }
    const large = { ...fileOf(500, 100_000), br: { size: 10_000, sha256: name(600) } };
    const { single } = packingOf([large, { ...large.br, path: "copy" }, ...filesOf(20)], [large, ...filesOf(20)]);
    expect(single).toEqual([large]);
  });

  test("without a copy go one by one from a program that sends many at once, if they are not very small", () => {
    const { files, missing } = withCopies(20);
    const plain = [fileOf(300, 8_192), fileOf(301, 8_193)];
    const packing = packingOf([...missing, ...plain], files, 8_192);
    expect(packing.single).toEqual([plain[1]]);
    expect(inPacks(packing)).toHaveLength(21);
  });

  test("that are too few for a pack because others go one by one are announced whole", () => {
    const few = withCopies(3);
    const files = [...few.files, ...filesOf(9, 10_000).slice(3)];
    const missing = [...few.missing, ...files.slice(3)].map(({ sha256 }) => sha256);
    expect(madeBytes(missing, files)).toBe(3_000);
    expect(madeBytes(missing, files, 8_192)).toBe(0);
  });

  test("are in five packs or some more, each within the limits of a pack", () => {
    for (const [count, size, packs] of [
      [2_000, 3_700, 5],
      [2_000, 16_384, 8],
      [20, 60_000, 3],
      [5_000, 10, 5],
    ] as const) {
      const packing = packingOf(filesOf(count, size), []);
      expect({ count, packs: packing.packs.length }).toEqual({ count, packs });
      for (const { sent, size: bytes } of packing.packs) {
        expect(sent.length).toBeLessThanOrEqual(1_000);
        expect(bytes).toBeLessThanOrEqual(4 * 1024 * 1024);
      }
    }
  });
});

/** How many packs are on the line at most, and whether one was while another was unpacked. */
interface LineUse {
  most: number;
  isBesideUnpacking: boolean;
}

interface Stage {
  readonly line: LineUse;
  /** The bytes in each slot. */
  readonly slots: Map<number, Uint8Array>;
  readonly stored: string[];
  readonly asked: number[];
  refuse?: (call: number) => Error | undefined;
  /** Called before each request. */
  meanwhile?: (call: number, slots: Map<number, Uint8Array>) => void;
}

/** A test that waits for what never comes ends, and says what it saw. */
const maxTurns = 1_000_000;

/** Sends packs of two files each. */
async function sending(count: number, stage: Partial<Stage> = {}) {
  const { slots = new Map(), stored = [], asked = [], refuse, meanwhile } = stage;
  const { line = { most: 0, isBesideUnpacking: false } } = stage;
  let [begun, onLine, unpacking] = [0, 0, 0];
  // Who watches the line holds each pack there until another comes, and each being unpacked until the next one is sent, whatever else takes time.
  const turnsUntil = async (holds: () => boolean) => {
    for (let turn = 0; turn < maxTurns && stage.line !== undefined && begun < count && !holds(); turn += 1)
      await nextTurn();
  };
  const done: string[] = [];
  const packs = Array.from({ length: count }, (_, index) => {
    const sent = [fileOf(2 * index), fileOf(2 * index + 1)];
    return { sent, made: [fileOf(1_000 + index)], size: 0 };
  });
  const bytesOf = ({ sha256 }: { sha256: string }) => new TextEncoder().encode(sha256);
  let calls = 0;
  const call = async (_: string, { body: { slot, size } }: { body: { slot: number; size: number } }) => {
    calls += 1;
    asked.push(slot);
    meanwhile?.(calls, slots);
    const failure = refuse?.(calls);
    if (failure) throw failure;
    const held = slots.get(slot);
    slots.delete(slot);
    if (held?.length !== size) return { unpacked: false, upload: { url: String(slot), headers: {} } };
    unpacking += 1;
    const before = begun;
    await turnsUntil(() => begun > before);
    unpacking -= 1;
    stored.push(...[...objectsIn(held)].map(({ sha256 }) => sha256));
    return { unpacked: true, upload: null };
  };
  const left = await sendPacks({
    ...{ client: { call } as unknown as Client, params: { slug: "game", id: "r1" }, packs },
    signal: new AbortController().signal,
    read: async (file) => bytesOf(file),
    openPack:
      (bytes) =>
      async (_, { url }) => {
        expect(slots.has(Number(url))).toBe(false);
        slots.set(Number(url), bytes);
        return { status: 200, code: undefined };
      },
    send: async (range, url, put) => {
      begun += 1;
      onLine += 1;
      line.most = Math.max(line.most, onLine);
      line.isBesideUnpacking ||= unpacking > 0;
      await nextTurn();
      await turnsUntil(() => onLine > 1);
      const target = await url.of();
      if (target) await put(range, target, () => {});
      onLine -= 1;
    },
    onPack: ({ sent, made }) => done.push(...[...sent, ...made].map(({ path }) => path)),
  });
  return { left: left.map(({ path }) => path), done, stored, asked };
}

describe("packs", () => {
  test("are stored and unpacked, no two at a time in one slot", async () => {
    const { left, done, stored } = await sending(6);
    expect(left).toEqual([]);
    expect(stored.toSorted()).toEqual(Array.from({ length: 12 }, (_, index) => name(index)));
    expect(done).toHaveLength(18);
  });

  test("are on the line two at a time, while those before are unpacked", async () => {
    const line = { most: 0, isBesideUnpacking: false };
    expect((await sending(6, { line })).left).toEqual([]);
    expect(line).toEqual({ most: 2, isBesideUnpacking: true });
  });

  test("that the service does not know are left, after one request for each that is under way", async () => {
    const unknown = new ApiError({ code: "gateway", detail: "Not Found", status: 404 });
    const { left, done, asked } = await sending(20, { refuse: () => unknown });
    expect(left).toHaveLength(60);
    expect(done).toEqual([]);
    expect(asked).toHaveLength(4);
  });

  test("of which one is refused are sent but for its files", async () => {
    const refused = new ApiError({ code: "pack_refused", detail: "a.js has other bytes", status: 422 });
    const { left, done } = await sending(6, { refuse: (call) => (call === 2 ? refused : undefined) });
    expect(left).toHaveLength(3);
    expect(done).toHaveLength(15);
  });

  test("whose slot somebody else takes are sent in another one", async () => {
    const { left, done, asked } = await sending(1, { meanwhile: (call, slots) => call === 2 && slots.clear() });
    expect({ left, done: done.length }).toEqual({ left: [], done: 3 });
    expect(new Set(asked).size).toBe(2);
    const lost = await sending(1, { meanwhile: (_, slots) => slots.clear() });
    expect(lost.left).toHaveLength(3);
  });

  test("end with a network that is lost", async () => {
    const gone = new NetworkError("No route.", { isTransient: true, isUnsent: false, isLost: true });
    await expect(sending(6, { refuse: () => gone })).rejects.toBe(gone);
  });
});
