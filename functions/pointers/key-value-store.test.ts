import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { AmazonError } from "../../local/amazon-server.ts";
import { dummyCredentials } from "../../local/credentials.ts";
import { KeyValueStore } from "../../local/pointers/key-value-store.ts";
import { localStoreArn } from "../../local/pointers/store-server.ts";
import { type GamesStore, startGamesStore } from "../../test/support/service/games-store.ts";
import { duringTests } from "../../test/support/service/suite.ts";
import { keysPerWrite, listKeys, readVersion, storeBytes, writeEntries } from "./key-value-store.ts";

const started = duringTests(async () => {
  const games = await startGamesStore();
  return { games, stop: games.stop };
});
let games: GamesStore;
const signal = () => AbortSignal.timeout(10_000);
let edge: ReturnType<KeyValueStore["edge"]>;

beforeEach(() => {
  ({ games } = started);
  Object.assign(process.env, {
    GAMES_STORE_ARN: localStoreArn,
    GAMES_STORE_ENDPOINT: games.endpoint,
    AWS_ACCESS_KEY_ID: dummyCredentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: dummyCredentials.secretAccessKey,
  });
  edge = games.store.edge(0);
});

afterEach(() => {
  games.fault = undefined;
  games.store.refusesAbsentKeys = false;
});

const read = async () => await readVersion(localStoreArn, signal());
const write = async (entries: Record<string, string | undefined>, version = read()) => {
  const outcome = await writeEntries(new Map(Object.entries(entries)), await version, signal());
  return typeof outcome === "string" ? outcome : "written";
};

describe("a write", () => {
  test("sets and deletes keys, by the SDK's requests signed for all regions", async () => {
    expect(await write({ one: "1", two: "2" })).toBe("written");
    expect(await write({ one: undefined, two: "3", none: undefined })).toBe("written");
    expect([edge.get("one"), edge.get("two")]).toEqual([undefined, "3"]);
  });

  test("that changes nothing is noticed by whoever has read before", async () => {
    await write({ same: "1" });
    const before = await read();
    expect(await write({ same: "1" })).toBe("written");
    expect(await write({ same: "0" }, Promise.resolve(before))).toBe("changed");
    expect(edge.get("same")).toBe("1");
  });

  test("tells the version that the next one names, which another write makes stale", async () => {
    const next = async (value: string, version: Awaited<ReturnType<typeof read>>) =>
      await writeEntries(new Map([["next", value]]), version, signal());
    const after = await next("1", await read());
    expect(after).toEqual(await read());
    if (typeof after === "string") throw new Error(after);
    expect(await next("2", after)).toEqual(await read());
    expect(await next("3", after)).toBe("changed");
    expect(edge.get("next")).toBe("2");
  });

  test.each([
    ["ConflictException", 409],
    ["ValidationException", 400],
  ])("that comes after another is told so by %s", async (name, status) => {
    const before = await read();
    await write({ other: name });
    games.fault = (operation) => (operation === "UpdateKeys" ? new AmazonError(name, status, "Stale") : undefined);
    expect(await write({ late: "1" }, Promise.resolve(before))).toBe("changed");
  });

  test("of a value that is too long or of too many keys is refused, and a full store says so", async () => {
    expect(await write({ long: "x".repeat(1_025) })).toBe("refused");
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, "1"]));
    expect(await write(many(keysPerWrite + 1))).toBe("refused");
    expect(await write(many(keysPerWrite))).toBe("written");
    games.fault = () => new AmazonError("ServiceQuotaExceededException", 402, "Full");
    expect(
      await writeEntries(new Map([["one", "1"]]), { storeArn: localStoreArn, etag: "1", sizeBytes: 0 }, signal()),
    ).toBe("full");
  });

  test("that deletes absent keys is refused by a store that wants them, unless it is the only one", async () => {
    games.store.refusesAbsentKeys = true;
    await write({ there: "1" });
    expect(await write({ there: "2", none: undefined })).toBe("refused");
    const before = await read();
    expect(await write({ none: undefined })).toBe("written");
    // A writer that has read before would bring the key back.
    expect(await write({ none: "stale" }, Promise.resolve(before))).toBe("changed");
    expect([edge.get("there"), edge.get("none")]).toEqual(["1", undefined]);
  });

  test("that is throttled is sent once more, and then fails", async () => {
    const version = await read();
    games.operations.length = 0;
    games.fault = () => new AmazonError("ThrottlingException", 429, "Slow down");
    await expect(write({ one: "1" }, Promise.resolve(version))).rejects.toThrow("Slow down");
    expect(games.operations).toEqual(["UpdateKeys", "UpdateKeys"]);
  });

  test.each([
    ["without a signature", {}],
    [
      "with another signature",
      {
        authorization: `AWS4-ECDSA-P256-SHA256 Credential=local/20261123/cloudfront-keyvaluestore/aws4_request, SignedHeaders=x-amz-date, Signature=${"0".repeat(140)}`,
        "x-amz-date": "20261123T000000Z",
      },
    ],
  ])("%s is denied by the emulated store", async (_, headers) => {
    const url = `${games.endpoint}/key-value-stores/${encodeURIComponent(localStoreArn)}`;
    expect((await fetch(url, { headers })).status).toBe(403);
  });
});

test("all keys of a store that host names read are listed, page by page", async () => {
  const names = Array.from({ length: 120 }, (_, index) => `listed-${index}`);
  for (let start = 0; start < names.length; start += 40)
    await write(Object.fromEntries(names.slice(start, start + 40).map((name) => [name, "1"])));
  await write({ "+": "1" });
  games.operations.length = 0;
  const found = await listKeys(localStoreArn, signal());
  expect(found.filter((key) => key.startsWith("listed-")).toSorted()).toEqual(names.toSorted());
  expect(found.filter((key) => key.length === 1)).toEqual([]);
  expect(games.operations.every((operation) => operation === "ListKeys")).toBe(true);
});

describe("the emulated store", () => {
  test("keeps its ETag if an update changes nothing", () => {
    const store = new KeyValueStore();
    store.update(store.state.etag, { Puts: [{ Key: "a", Value: "1" }] });
    const { etag } = store.state;
    store.update(etag, { Puts: [{ Key: "a", Value: "1" }], Deletes: [{ Key: "b" }] });
    expect(store.state).toEqual({ etag, itemCount: 1, sizeBytes: 2 });
    expect(() => store.update("old", {})).toThrow("Pre-Condition failed");
  });

  test("is full with five megabytes, also for the size that it tells, and takes what makes it smaller", () => {
    const store = new KeyValueStore();
    const update = (puts: [string, string][]) =>
      store.update(store.state.etag, { Puts: puts.map(([Key, Value]) => ({ Key, Value })) });
    const value = "x".repeat(1_020);
    const fill = () => {
      for (let first = 0; ; first += 50)
        update(Array.from({ length: 50 }, (_, index) => [String(first + index).padStart(4, "0"), value]));
    };
    expect(fill).toThrow("The store is full");
    expect(store.state.sizeBytes).toBeLessThanOrEqual(storeBytes);
    expect(store.state.sizeBytes).toBeGreaterThan(storeBytes - 50 * 1_024);
    update([["0000", "s"]]);
  });

  test("reaches each edge location after a time of its own", async () => {
    const store = new KeyValueStore();
    const [near, far] = [store.edge(0), store.edge(300)];
    store.update(store.state.etag, { Puts: [{ Key: "a", Value: "1" }] });
    expect([near.get("a"), far.get("a")]).toEqual(["1", undefined]);
    await delay(320);
    expect(far.get("a")).toBe("1");
    store.update(store.state.etag, { Deletes: [{ Key: "a" }] });
    expect([near.get("a"), far.get("a")]).toEqual([undefined, "1"]);
  });
});
