import { describe, expect, jest, test } from "@jest/globals";
import { keys } from "../../../../../functions/table/keys.ts";
import { exploreBetweenRequests } from "../../../../../test/long/faults/between-requests.ts";
import { everyItem, removeItem, storedItem, storeItems } from "../../../../../test/support/table/stored.ts";
import { deadLetterKey } from "../../../functions/keys.ts";
import { moveToDeadLetters, removeNotice, type WaitingNotice } from "../../../functions/outbox.ts";
import { type Owner, useDeliveries } from "../../support/deliveries.ts";
import type { BusFault } from "../../support/event-bridge.ts";

const { service, bus, deliver, developerWithTokens, takenOf, dueNotices } = useDeliveries();

function refusing(isRefused: (detail: ReturnType<typeof JSON.parse>) => boolean): () => BusFault {
  return () => ({
    kind: "refuse-entries",
    isRefused: ({ Detail }) => isRefused(JSON.parse(Detail)),
    code: "InternalFailure",
  });
}

describe("what is due", () => {
  test("of more than a page and many accounts are all sent, each account's in the order of their times", async () => {
    const owners = await Promise.all(Array.from({ length: 4 }, () => developerWithTokens(15)));
    for (const { ada } of owners) await ada.delete("/tokens");
    await deliver();
    for (const owner of owners) {
      const taken = takenOf(owner);
      expect(taken.filter(({ type }) => type === "token_created").map(({ token }) => token.id)).toEqual(owner.ids);
      expect(taken.map(({ at }) => at)).toEqual(taken.map(({ at }) => at).toSorted());
      expect(taken).toHaveLength(30);
    }
    expect(Math.max(...bus.requests.map(({ entries }) => entries.length))).toBeLessThanOrEqual(10);
  });

  test("of more than ten accounts in one shard are sent ten at a time", async () => {
    const owners = await Promise.all(Array.from({ length: 11 }, () => developerWithTokens(1)));
    const [[first], ...others] = (await Promise.all(owners.map(dueNotices))) as [[StoredItem], ...[StoredItem][]];
    for (const [notice] of others) {
      await removeItem(service, notice as { PK: string; SK: string });
      await storeItems(service, [{ ...notice, PK: first["PK"] }]);
    }
    await deliver();
    expect(bus.requests.map(({ entries }) => entries.length)).toEqual([10, 1]);
    for (const owner of owners) expect(takenOf(owner)).toHaveLength(1);
  });

  test("of a deleted account are deleted, and a deleted token is named without its hint", async () => {
    const [gone, stays] = [await developerWithTokens(1), await developerWithTokens(1)];
    await removeItem(service, keys.account(gone.accountKey));
    const takenBefore = bus.taken().length;
    await removeItem(service, keys.token(stays.accountKey, stays.ids[0] ?? ""));
    await deliver();
    expect(bus.taken().slice(takenBefore)).toEqual(takenOf(stays));
    expect(await dueNotices(gone)).toEqual([]);
    expect(takenOf(stays)).toEqual([expect.objectContaining({ token: { id: stays.ids[0] } })]);
  });

  test("waits for the next run if there is no time for another request", async () => {
    const owner = await developerWithTokens(1);
    await deliver(10_000);
    expect(await dueNotices(owner)).toHaveLength(1);
    await deliver();
    expect(takenOf(owner)).toHaveLength(1);
  });
});

describe("an account with hundreds of due notices", () => {
  test("lets those of others in its shard leave after its turn, and all its own leave in the same run, in order", async () => {
    const [flood, other] = [await developerWithTokens(1), await developerWithTokens(1)];
    const [[first], [late]] = [await dueNotices(flood), await dueNotices(other)];
    const flooding = Array.from({ length: 350 }, (_, number) => {
      const at = new Date(Date.parse("2026-01-01T00:00:00Z") + number * 1_000).toISOString();
      return { ...first, id: `flood-${number}`, at, PK: String(first?.["PK"]), SK: `${at}#flood-${number}` };
    });
    await removeItem(service, { PK: String(late?.["PK"]), SK: String(late?.["SK"]) });
    await storeItems(service, [...flooding, { ...late, PK: String(first?.["PK"]), SK: String(late?.["SK"]) }]);
    await deliver();
    const uids = bus.taken().map(({ account }) => account.uid);
    const before = uids.slice(0, uids.indexOf(other.ada.uid));
    expect(before.filter((uid) => uid === flood.ada.uid)).toHaveLength(100);
    const told = takenOf(flood).map(({ at }) => at);
    expect(told).toHaveLength(351);
    expect(told).toEqual(told.toSorted());
  });
});

describe("at least once:", () => {
  test("a run that is killed between the bus and the table sends again, with the same id", async () => {
    const owner = await developerWithTokens(1);
    service.recorder.plan(({ operation }) => (operation === "DeleteItem" ? { kind: "unreachable" } : undefined));
    await expect(deliver()).rejects.toThrow();
    service.recorder.plan(undefined);
    expect(await dueNotices(owner)).toHaveLength(1);
    await deliver();
    const [first, second, ...more] = takenOf(owner);
    expect(second).toEqual(first);
    expect(more).toEqual([]);
  });

  test("a request whose response is lost is sent again, with the same id", async () => {
    const owner = await developerWithTokens(1);
    bus.plan(() => (bus.requests.length === 1 ? { kind: "lose-response" } : undefined));
    await deliver();
    expect(new Set(takenOf(owner).map(({ id }) => id)).size).toBe(1);
    expect(takenOf(owner).length).toBe(2);
    expect(await dueNotices(owner)).toEqual([]);
  });

  test.each<[string, BusFault]>([
    ["throttles", { kind: "refuse", status: 400, error: "ThrottlingException" }],
    ["fails", { kind: "refuse", status: 500, error: "InternalException" }],
    ["denies", { kind: "refuse", status: 400, error: "AccessDeniedException" }],
    ["cannot be reached", { kind: "break" }],
    ["does not respond in time", { kind: "silent" }],
  ])("if the bus %s, the run fails, deletes nothing, and the next one sends", async (_, fault) => {
    const owner = await developerWithTokens(2);
    bus.plan(() => fault);
    await expect(deliver()).rejects.toThrow();
    expect(await dueNotices(owner)).toHaveLength(2);
    bus.plan(undefined);
    await deliver();
    expect(takenOf(owner).map(({ token }) => token.id)).toEqual(owner.ids);
  });

  test("if the table is throttled, the run fails and the next one sends", async () => {
    const owner = await developerWithTokens(1);
    service.recorder.plan(() => ({ kind: "refuse", error: "ProvisionedThroughputExceededException" }));
    await expect(deliver()).rejects.toThrow();
    service.recorder.plan(undefined);
    await deliver();
    expect(takenOf(owner)).toHaveLength(1);
  });

  test("a run that fails at one shard has sent the notices of the others", async () => {
    const owners = await Promise.all(Array.from({ length: 12 }, () => developerWithTokens(1)));
    const failing = (await dueNotices(owners[0] as Owner))[0]?.["PK"];
    service.recorder.plan(({ operation, input }) =>
      operation === "Query" && JSON.stringify(input).includes(`"${failing}"`) ? { kind: "unreachable" } : undefined,
    );
    await expect(deliver()).rejects.toThrow();
    service.recorder.plan(undefined);
    const left = await Promise.all(owners.map(dueNotices));
    expect(left.flat().every(({ PK }) => PK === failing)).toBe(true);
    await deliver();
    for (const owner of owners) expect(takenOf(owner)).toHaveLength(1);
  });
});

describe("a notice that the bus refuses", () => {
  test("waits with the later ones of its account, and does not delay another account's", async () => {
    const [held, other] = [await developerWithTokens(3), await developerWithTokens(3)];
    bus.plan(refusing(({ token }) => token.id === held.ids[1]));
    await deliver();
    expect(takenOf(held).map(({ token }) => token.id)).toEqual(held.ids.slice(0, 1));
    expect(takenOf(other).map(({ token }) => token.id)).toEqual(other.ids);
    bus.plan(undefined);
    await deliver();
    expect(takenOf(held).map(({ token }) => token.id)).toEqual(held.ids);
  });

  test("does not delay notices of another page", async () => {
    // Twelve accounts are in eight shards, so some share a shard, behind more than a page of refused notices.
    const held = await developerWithTokens(40);
    await held.ada.delete("/tokens");
    const others = await Promise.all(Array.from({ length: 12 }, () => developerWithTokens(1)));
    bus.plan(refusing(({ account }) => account.uid === held.ada.uid));
    await deliver();
    for (const other of others) expect(takenOf(other)).toHaveLength(1);
    expect(await dueNotices(held)).toHaveLength(80);
  });

  test("is refused alone if EventBridge refuses the whole request because of it", async () => {
    const [poison, ...others] = await Promise.all(Array.from({ length: 12 }, () => developerWithTokens(1)));
    bus.plan(({ entries }) =>
      entries.some(({ Detail }) => Detail.includes(poison?.ada.uid ?? ""))
        ? { kind: "refuse", status: 400, error: "ValidationException" }
        : undefined,
    );
    await deliver();
    for (const other of others) expect(takenOf(other)).toHaveLength(1);
    expect(await dueNotices(poison as Owner)).toHaveLength(1);
  });

  test("becomes a dead letter after a day, kept for 90 days, and then does not delay the later ones", async () => {
    const owner = await developerWithTokens(2);
    const [first] = await dueNotices(owner);
    const old = await backdated(first as StoredItem, 86_400 + 60);
    bus.plan(refusing(({ id }) => id === old["id"]));
    await deliver();
    await deliver();
    expect(takenOf(owner).map(({ token }) => token.id)).toEqual([owner.ids[1]]);
    const deadLetters = (await everyItem(service)).filter(({ PK }) => PK === "OUTBOX#DEAD_LETTERS");
    const { PK, SK, ...rest } = old;
    expect(deadLetters).toContainEqual({ PK: "OUTBOX#DEAD_LETTERS", SK: old["id"], ...rest, ttl: expect.any(Number) });
    const days = (Number(deadLetters[0]?.["ttl"]) - Date.now() / 1_000) / 86_400;
    expect(days).toBeGreaterThan(89.9);
    expect(days).toBeLessThan(90.1);
  });

  test("does not become a dead letter if another run has sent it", async () => {
    const [notice] = (await dueNotices(await developerWithTokens(1))) as unknown as [WaitingNotice];
    await removeNotice(notice);
    await moveToDeadLetters(notice, new Date());
    expect(await storedItem(service, deadLetterKey(notice.id))).toBeUndefined();
  });

  test("whatever is stored in it, does not delay any other", async () => {
    const owner = await developerWithTokens(1);
    const [{ PK }] = (await dueNotices(owner)) as [StoredItem];
    await storeItems(service, [{ PK, SK: "2020-01-01T00:00:00.000Z#garbage", id: "garbage" }]);
    await deliver();
    expect(takenOf(owner)).toHaveLength(1);
    expect((await everyItem(service)).filter(({ id }) => id === "garbage")).toEqual([]);
  });
});

test("a notice whose time cannot be read becomes a dead letter, is logged by its id, and does not delay any other", async () => {
  const owner = await developerWithTokens(1);
  const [first] = (await dueNotices(owner)) as [StoredItem];
  const unreadable = { ...first, id: "unreadable", at: "yesterday" };
  await storeItems(service, [{ ...unreadable, SK: "2020-01-01T00:00:00.000Z#unreadable" }]);
  const lines: string[] = [];
  const write = jest.spyOn(process.stdout, "write").mockImplementation((line) => lines.push(String(line)) > 0);
  await deliver().finally(() => write.mockRestore());
  expect(takenOf(owner).map(({ id }) => id)).toEqual([first["id"]]);
  expect(await dueNotices(owner)).toEqual([]);
  const { PK, SK, ...rest } = unreadable as StoredItem;
  const deadLetters = (await everyItem(service)).filter(({ id }) => id === "unreadable");
  expect(deadLetters).toEqual([{ PK: "OUTBOX#DEAD_LETTERS", SK: "unreadable", ...rest, ttl: expect.any(Number) }]);
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({
      level: "error",
      code: "notice_dead_lettered",
      message: "The notice unreadable is a dead letter: its time cannot be read",
    }),
  ]);
});

type StoredItem = Record<string, unknown>;

/** Changes the time of a notice to an earlier one. */
async function backdated(item: StoredItem, seconds: number): Promise<StoredItem> {
  await removeItem(service, item as { PK: string; SK: string });
  const at = new Date(Date.now() - seconds * 1_000).toISOString();
  const earlier = { ...item, at, SK: `${at}#${item["id"]}` };
  await storeItems(service, [earlier]);
  return earlier;
}

describe("every notice is delivered and none is left, while the account causes another one:", () => {
  let owner: Owner;
  exploreBetweenRequests({
    service,
    requests: [
      ...Array.from({ length: 8 }, (_, shard) => ["Query", `the notices of shard ${shard} are read`] as const),
      ["BatchGetItem", "their accounts are read"],
      ["BatchGetItem", "their tokens are read"],
      ["DeleteItem", "the first one is deleted"],
      ["DeleteItem", "the second one is deleted"],
    ],
    prepare: async () => {
      owner = await developerWithTokens(2);
    },
    run: () => deliver(),
    meanwhile: () => owner.ada.delete(`/tokens/${owner.ids[0]}`),
    check: async () => {
      await deliver();
      const types = takenOf(owner).map(({ type }) => type);
      expect([...new Set(types)]).toEqual(["token_created", "token_revoked"]);
      expect(new Set(takenOf(owner).map(({ id }) => id)).size).toBe(3);
      expect(await dueNotices(owner)).toEqual([]);
    },
  });
});
