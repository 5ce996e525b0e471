import { createHash } from "node:crypto";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { accountKeyLength } from "../../contract/token-format.ts";
import { newId } from "./ids.ts";
import { accountKey, keys, tokenIdOf } from "./keys.ts";

const anything = fc.string({ unit: "binary" });

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

test("ids are ordered by time", () => {
  const time = fc.integer({ min: 0, max: 2 ** 44 });
  fc.assert(
    fc.property(time, time, (a, b) => {
      fc.pre(a !== b);
      return newId(new Date(a)) < newId(new Date(b)) === a < b;
    }),
  );
});

test("no key of one kind is a key of another", () => {
  const items = [
    keys.account("k"),
    keys.token("k", "x"),
    keys.event("k", "x"),
    keys.ownership("k", "x"),
    keys.project("x"),
    keys.release("x", "y"),
  ];
  expect(new Set(items.map(({ PK, SK }) => `${PK} ${SK}`)).size).toBe(items.length);
});

test("waiting notices are spread over eight partitions, and those of one account are in one", () => {
  const accounts = Array.from({ length: 200 }, (_, number) => accountKey("https://idp.example", `${number}`));
  const partitionOf = (account: string) => keys.notice(account, new Date().toISOString(), newId(new Date())).PK;
  expect(new Set(accounts.map(partitionOf)).size).toBe(8);
  for (const account of accounts) expect(partitionOf(account)).toBe(partitionOf(account));
});
