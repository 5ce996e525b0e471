import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { makeRoom, writePointers } from "../../../functions/domain/projects/pointers.ts";
import { readPointer } from "../../../functions/domain/projects/unstored-pointers.ts";
import { operate } from "../../../infra/operator/operator.ts";
import { EdgeLocation } from "../../../local/edge/edge-location.ts";
import { distributionOf } from "../../../local/edge/local-edge.ts";
import { storeOfCopy } from "../../../local/edge/pointer-stores.ts";
import { useEdgeService } from "../../support/service/edge-service.ts";
import { newProject, publish } from "../../support/service/steps.ts";
import { useOwner } from "../../support/service/suite.ts";

/*
 * More games than the key-value store has room for.
 */

const service = useEdgeService();
const ada = useOwner(service);
const domain = "games.example.net";
const signal = () => AbortSignal.timeout(60_000);
const stored = (key: string) => service.games.store.edge(0).get(key);
let now: number;
let location: EdgeLocation;

beforeEach(async () => {
  empty();
  now = 0;
  const distribution = await distributionOf({
    gamesDomain: domain,
    reportUrl: undefined,
    tableName: service.tableName,
  });
  location = new EdgeLocation(distribution, storeOfCopy(service.games.store.edge(0)), () => now);
});

afterEach(async () => await location.stop());

/** Fills the store with pointers of other games until so many bytes are left. */
function fill(bytesLeft: number): void {
  const { store } = service.games;
  for (let number = 0; ; number += 1) {
    const Key = `full-${String(number).padStart(5, "0")}`;
    const room = 5_000_000 - bytesLeft - store.state.sizeBytes - Key.length;
    if (room <= 0) return;
    store.update(store.state.etag, { Puts: [{ Key, Value: "u".repeat(Math.min(room, 1_000)) }] });
  }
}

/** Leaves nothing in the store but what every write changes. */
function empty(): void {
  const { store } = service.games;
  while (store.state.itemCount > 0) {
    const { Items } = store.page(new URLSearchParams({ MaxResults: "50" }));
    store.update(store.state.etag, { Deletes: Items.map(({ Key }) => ({ Key })) });
  }
  store.update(store.state.etag, { Puts: [{ Key: "-", Value: randomUUID() }] });
}

async function get(slug: string, path: string, headers: Readonly<Record<string, string>> = {}) {
  const result = await location.respond({
    method: "GET",
    target: path,
    headers: { host: `${slug}.${domain}`, ...headers },
  });
  return { ...result, text: String(result.body) };
}

const page = { "sec-fetch-dest": "document" };

async function cookieOf(slug: string): Promise<string> {
  const { headers } = await get(slug, "/", page);
  return String(headers["set-cookie"]).split(";")[0] ?? "";
}

test("a game without a place in the store is played, changed and taken down as every other", async () => {
  fill(20);
  const slug = await newProject(ada);
  await publish(ada, slug, { "index.html": "page 1", "a.js": "a 1", "only-1.js": "1" });
  expect([stored(slug), stored("+")]).toEqual([undefined, "1"]);
  expect(await get(slug, "/", page)).toMatchObject({ status: 200, text: "page 1" });
  const cookie = await cookieOf(slug);
  expect(cookie).toMatch(/^__Host-svc-release=[\w-]{43}$/);
  expect((await get("no-such-game", "/", page)).status).toBe(404);

  await publish(ada, slug, { "index.html": "page 2", "a.js": "a 2" });
  now += 6;
  expect((await get(slug, "/", page)).text).toBe("page 2");
  expect((await get(slug, "/a.js", { cookie })).text).toBe("a 1");
  expect((await get(slug, "/a.js")).text).toBe("a 2");
  // Without a cookie, from the release before.
  expect((await get(slug, "/only-1.js")).text).toBe("1");
  const { live, visit } = JSON.parse((await get(slug, "/.well-known/svc/release", { cookie })).text);
  expect([live === visit, cookie.endsWith(visit)]).toEqual([false, true]);

  // A store with room takes the one letter of a takedown.
  service.games.store.update(service.games.store.state.etag, { Deletes: [{ Key: "full-00000" }] });
  await operate(["takedown", slug, "--reason", "malware"], new Date());
  expect(stored(slug)).toBe("s");
  expect((await get(slug, "/", page)).status).toBe(410);
}, 120_000);

test("a store that is nearly full loses pointers at random, and those of games that are played come back", async () => {
  const slug = await newProject(ada);
  await publish(ada, slug, { "index.html": "page" });
  expect(await makeRoom(signal())).toBe(0);
  fill(400_000);
  const before = service.games.store.state.itemCount;
  const deleted = await makeRoom(signal());
  expect(deleted / before).toBeGreaterThan(0.18);
  expect(deleted / before).toBeLessThan(0.32);
  expect(stored("+")).toBe("1");
  const { store } = service.games;
  store.update(store.state.etag, { Deletes: [{ Key: slug }] });
  expect(await readPointer(slug, true, 0.5)).toMatch(/^l\./);
  expect(await readPointer(slug, false, 0)).toMatch(/^l\./);
  await writePointers(signal());
  expect(stored(slug)).toBeUndefined();
  await readPointer(slug, true, 0.05);
  await writePointers(signal());
  expect(stored(slug)).toMatch(/^l\./);
}, 120_000);
