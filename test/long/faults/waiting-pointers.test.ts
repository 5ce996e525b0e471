import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { writePointers } from "../../../functions/domain/projects/pointers.ts";
import { accountKey, keys, pointerPartition } from "../../../functions/table/keys.ts";
import { pointerWrites } from "../../../functions/table/projects/pointer-items.ts";
import { transact } from "../../../functions/table/transaction.ts";
import { operate } from "../../../infra/operator/operator.ts";
import { AmazonError } from "../../../local/amazon-server.ts";
import { useEdgeService } from "../../support/service/edge-service.ts";
import { publish } from "../../support/service/steps.ts";
import { useOwner } from "../../support/service/suite.ts";
import { itemsOf, removeItem, storeItems } from "../../support/table/stored.ts";

/*
 * Many changes wait for the games' edge.
 */
const service = useEdgeService({ env: { DIRECT_POINTER_WRITES_PER_MINUTE: "1000" } });
const ada = useOwner(service);

beforeEach(() => {
  service.games.operations.length = 0;
});

afterEach(async () => {
  service.games.fault = undefined;
  await writePointers(AbortSignal.timeout(10_000));
});

const waiting = () => itemsOf(service, pointerPartition);
const changed = (...slugs: string[]) => transact({ pointer: pointerWrites(slugs, new Date()) });
const full = () => new AmazonError("ServiceQuotaExceededException", 402, "The store is full");
const unpublish = async () => (await ada.post(`/projects/${ada.slug}/unpublish`)).body.edge;
const writes = () => service.games.operations.filter((operation) => operation === "UpdateKeys");

test("changes of more projects than one read takes are three writes, and each project is what it is", async () => {
  await publish(ada, ada.slug, { "index.html": "1" });
  service.games.operations.length = 0;
  const others = Array.from({ length: 100 }, (_, index) => `other-${index}`);
  await changed(...others, ada.slug);
  expect(await writePointers(AbortSignal.timeout(10_000))).toMatchObject({ written: 26, refused: [] });
  expect(service.games.operations).toEqual(["DescribeKeyValueStore", ...Array(3).fill("UpdateKeys")]);
  expect(service.games.store.edge(0).get(ada.slug)).toMatch(/^l\./);
});

test("a store that refuses everything is tried twice for each change, and each that it refuses is told once", async () => {
  for (let index = 0; index <= 50; index += 1) await changed(`refused-${index}`);
  service.games.fault = (operation) => (operation === "UpdateKeys" ? full() : undefined);
  const { written, refused } = await writePointers(AbortSignal.timeout(60_000));
  expect({ written, refused: new Set(refused.map(({ id }) => id)).size }).toEqual({ written: 0, refused: 51 });
  expect(refused).toHaveLength(51);
  // 48 and 3 together; then for each its own key, and the one that says that the store overflows.
  expect(writes()).toHaveLength(2 + 51 * 2);
});

test("a request tells that the edge lacks its project, also if it waits beside others or twice, and is refused once", async () => {
  await changed(ada.slug, "other");
  expect(await unpublish()).toBe("updated");
  expect(await waiting()).toEqual([]);
  for (const slug of [ada.slug, ada.slug]) await changed(slug);
  service.games.operations.length = 0;
  service.games.fault = (operation) => (operation === "UpdateKeys" && writes().length < 4 ? full() : undefined);
  expect(await unpublish()).toBe("waiting");
  // They are about the same key.
  expect(await waiting()).toHaveLength(2);
});

test("fifty changes that wait are two writes", async () => {
  for (let index = 0; index < 50; index += 1) await changed(`waiting-${index}`);
  // A request looks at no more of them.
  expect(await unpublish()).toBe("waiting");
  expect(service.games.operations).toEqual([]);
  expect(await writePointers(AbortSignal.timeout(10_000))).toMatchObject({ written: 50 });
  expect(writes()).toHaveLength(2);
  expect(await waiting()).toEqual([]);
});

test("an account's own requests bring 500 changes a day to the edge; the next ones wait for the schedule, the operator's do not", async () => {
  const key = accountKey(service.issuer, ada.uid);
  const today = keys.directWrites(key, new Date().toISOString().slice(0, 10));
  await storeItems(service, [{ ...today, count: 499 }]);
  const id = await publish(ada, ada.slug, { "index.html": "2" });
  expect(service.games.store.edge(0).get(ada.slug)).toMatch(/^l\./);
  service.games.operations.length = 0;
  expect(await unpublish()).toBe("waiting");
  expect(service.games.operations).toEqual([]);
  await writePointers(AbortSignal.timeout(10_000));
  expect(service.games.store.edge(0).get(ada.slug)).toMatch(/^u<bdi>/);
  expect((await ada.post(`/projects/${ada.slug}/releases/${id}/publish`, {})).body.edge).toBe("waiting");
  await operate(["suspend", "project", ada.slug, "--reason", "malware"], new Date());
  expect(service.games.store.edge(0).get(ada.slug)).toBe("s");
  await operate(["restore", "project", ada.slug], new Date());
  await removeItem(service, today);
  expect(await unpublish()).toBe("updated");
});

test("the requests of all accounts bring as many changes a minute to the edge as the stage says; a write of the schedule has 48", async () => {
  const minutes = [0, 1].map((more) => new Date(Date.now() + more * 60_000).toISOString().slice(0, 16));
  await storeItems(
    service,
    minutes.map((minute) => ({ ...keys.directWritesOfAll(minute), count: 999 })),
  );
  await publish(ada, ada.slug, { "index.html": "3" });
  expect(service.games.operations).toEqual(["DescribeKeyValueStore", "UpdateKeys"]);
  service.games.operations.length = 0;
  expect(await unpublish()).toBe("waiting");
  for (let index = 1; index < 48; index += 1) await changed(`busy-${index}`);
  expect(service.games.operations).toEqual([]);
  expect(await writePointers(AbortSignal.timeout(10_000))).toMatchObject({ written: 48 });
  expect(service.games.operations).toEqual(["DescribeKeyValueStore", "UpdateKeys"]);
  expect(service.games.store.edge(0).get(ada.slug)).toMatch(/^u<bdi>/);
  for (const minute of minutes) await removeItem(service, keys.directWritesOfAll(minute));
});

test("what a loop changes within a minute is one write of the schedule, also if it is refused together", async () => {
  for (let index = 0; index < 200; index += 1) await changed("loop");
  expect(await writePointers(AbortSignal.timeout(10_000))).toMatchObject({ written: 200 });
  expect(writes()).toHaveLength(1);
  for (let index = 0; index < 60; index += 1) await changed("loop");
  service.games.operations.length = 0;
  service.games.fault = (operation) => (operation === "UpdateKeys" && writes().length === 1 ? full() : undefined);
  expect(await writePointers(AbortSignal.timeout(10_000))).toMatchObject({ written: 60 });
  expect(writes()).toHaveLength(2);
});
