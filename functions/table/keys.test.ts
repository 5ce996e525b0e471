import { createHash } from "node:crypto";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { accountKeyLength } from "../../contract/api/tokens/token-format.ts";
import { anyText } from "../../test/support/any-text.ts";
import { newId } from "./ids.ts";
import { accountKey, type Key, keys, ranges, tokenIdOf } from "./keys.ts";

const anything = anyText();

test("an account key has a fixed length and alphabet, whatever the issuer and the uid are", () => {
  fc.assert(
    fc.property(anything, anything, (issuer, uid) =>
      new RegExp(`^[0-9A-Za-z]{${accountKeyLength}}$`).test(accountKey(issuer, uid)),
    ),
  );
});

test("no two people share an account key by moving characters between issuer and uid", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 2 }), fc.nat(), (text, at) => {
      const cut = 1 + (at % (text.length - 1));
      return (
        accountKey(text.slice(0, cut), text.slice(cut)) !== accountKey(text.slice(0, cut - 1), text.slice(cut - 1))
      );
    }),
  );
});

test("one uid of two issuers is two accounts", () => {
  expect(accountKey("https://one.example", "ada")).not.toBe(accountKey("https://two.example", "ada"));
});

test("a token id depends only on the hash", () => {
  const hash = createHash("sha256").update("a").digest();
  expect(tokenIdOf(hash)).toBe(tokenIdOf(Buffer.from(hash)));
  expect(tokenIdOf(hash)).toMatch(/^[0-9A-Za-z]{22}$/);
});

test("an id has 22 characters, and none is given twice in a millisecond", () => {
  const ids = Array.from({ length: 1_000 }, () => newId(new Date("2026-01-01")));
  for (const id of ids) expect(id).toMatch(/^00V70MWDg[0-9A-Za-z]{13}$/);
  expect(new Set(ids).size).toBe(ids.length);
});

test("ids are ordered by time", () => {
  const time = fc.integer({ min: 0, max: 2 ** 44 });
  fc.assert(
    fc.property(time, time, (a, b) => {
      fc.pre(a !== b);
      return newId(new Date(a)) < newId(new Date(b)) === a < b;
    }),
  );
});

/** docs/architecture.md, "The table": a role names the partitions, and another key would lose what is stored. */
const stored: [keyof typeof keys, Key, string][] = [
  ["account", keys.account("k"), "ACCOUNT#k ACCOUNT"],
  ["tombstone", keys.tombstone("k"), "ACCOUNT#k TOMBSTONE"],
  ["token", keys.token("k", "x"), "ACCOUNT#k TOKEN#x"],
  ["event", keys.event("k", "x"), "ACCOUNT#k EVENT#x"],
  ["ownership", keys.ownership("k", "x"), "ACCOUNT#k PROJECT#x"],
  ["deletedProject", keys.deletedProject("k", "x"), "ACCOUNT#k DELETED#x"],
  ["invitation", keys.invitation("k", "x"), "ACCOUNT#k INVITATION#x"],
  ["team", keys.team("k"), "ACCOUNT#k TEAM"],
  ["teamMembership", keys.teamMembership("k", "x"), "ACCOUNT#k TEAM#x"],
  ["codeLookups", keys.codeLookups("k", 7), "ACCOUNT#k LOOKUPS#7"],
  ["idempotentCreation", keys.idempotentCreation("k", "x"), "ACCOUNT#k CREATION#1NkKo2HWgHxMkcLdDyoLFl"],
  ["pendingPublishers", keys.pendingPublishers("k"), "ACCOUNT#k PENDING"],
  ["ledger", keys.ledger("k"), "LEDGER#k LEDGER"],
  ["author", keys.author("k"), "AUTHOR#k AUTHOR"],
  ["notice", keys.notice("k", "2026", "x"), "OUTBOX#3 2026#x"],
  ["waitingPointers", keys.waitingPointers({ from: "2026", id: "x" }), "POINTER#WAITING 2026#x"],
  ["dueSchedule", keys.dueSchedule({ at: "2026", slug: "x" }), "SCHEDULE#DUE 2026#x"],
  ["directWrites", keys.directWrites("k", "2026"), "POINTER#WRITES#k 2026"],
  ["directWritesOfAll", keys.directWritesOfAll("2026"), "POINTER#MINUTES 2026"],
  ["project", keys.project("k"), "PROJECT#k PROJECT"],
  ["release", keys.release("k", "x"), "PROJECT#k RELEASE#x"],
  ["projectEvent", keys.projectEvent("k", "x"), "PROJECT#k EVENT#x"],
  ["deletionIntent", keys.deletionIntent("x"), "PROJECT#x DELETION"],
  ["openManifest", keys.openManifest("x", "d"), "PROJECT#x MANIFEST#d"],
  ["sweep", keys.sweep(), "SWEEP SWEEP"],
  [
    "dueSweep",
    keys.dueSweep({ slug: "star-hopper", from: "2026-01-01T00:00:00.000Z" }),
    "SWEEP 2026-01-01T00:00:00.000Z#star-hopper",
  ],
  ["webhookEvent", keys.webhookEvent("2026-11-29T00:00:00.000Z", "x"), "OUTBOX#WEBHOOKS 2026-11-29T00:00:00.000Z#x"],
  ["authorizationCode", keys.authorizationCode("g"), "CODE#g CODE"],
  ["deviceRequest", keys.deviceRequest("g"), "DEVICE#g DEVICE"],
  ["spentIdentity", keys.spentIdentity({ issuer: "i", id: "x" }), "JTI#3hYbDhyq3cODe33ECsxHqf JTI"],
];

test("each kind of item is where those stored before are", () => {
  expect(accountKey("https://idp.example", "ada")).toBe("7Iq3f2nwbxiQEzB7YgAMkR");
  expect(stored.map(([kind, { PK, SK }]) => [kind, `${PK} ${SK}`])).toEqual(stored.map(([kind, , at]) => [kind, at]));
  expect(stored.map(([kind]) => kind).sort()).toEqual(Object.keys(keys).sort());
});

test.each(Object.entries(ranges))(
  "the range of %s has the items of this kind, and no other of its partition",
  (kind, of) => {
    const { PK, prefix } = of("k");
    const found = stored.filter(([, key]) => key.PK === PK && key.SK.startsWith(prefix));
    expect(found.map(([name]) => name)).toEqual([expect.stringMatching(`^${kind.replace(/s$/, "")}s?$`)]);
  },
);

test("waiting notices are spread over eight partitions, and those of one account are in one", () => {
  const accounts = Array.from({ length: 200 }, (_, number) => accountKey("https://idp.example", `${number}`));
  const partitionOf = (account: string) => keys.notice(account, new Date().toISOString(), newId(new Date())).PK;
  expect(new Set(accounts.map(partitionOf)).size).toBe(8);
  for (const account of accounts) expect(partitionOf(account)).toBe(partitionOf(account));
});
