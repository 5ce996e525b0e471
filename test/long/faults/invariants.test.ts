import { expect, test } from "@jest/globals";
import { brokenInvariants } from "../../support/table/invariants.ts";
import type { StoredItem } from "../../support/table/stored.ts";

/** An account with a token and a project that has a live release: all as it must be. */
function whole(): StoredItem[] {
  const account = "ACCOUNT#ada";
  const event = (id: string, type: string) => ({ PK: account, SK: `EVENT#${id}`, id, type });
  return [
    { PK: account, SK: "ACCOUNT", key: "ada", role: "dev", activeTokens: { t1: "2027-01-01" }, projectCount: 1 },
    event("1", "account_created"),
    event("2", "role_upgraded"),
    event("3", "token_created"),
    event("4", "project_created"),
    { PK: account, SK: "TOKEN#t1", id: "t1", expiresAt: "2027-01-01" },
    { PK: "OUTBOX#1", SK: "2026#3", id: "3", type: "token_created", accountKey: "ada", tokenId: "t1" },
    { PK: "OUTBOX#1", SK: "2027#x", id: "x", type: "token_expiring", accountKey: "ada", tokenId: "t1" },
    event("5", "release_published"),
    {
      PK: "OUTBOX#1",
      SK: "2028#y",
      id: "y",
      type: "project_releases_changed",
      accountKey: "ada",
      change: { type: "release_published" },
    },
    { PK: account, SK: "PROJECT#game", slug: "game" },
    {
      PK: "PROJECT#game",
      SK: "PROJECT",
      ownerKey: "ada",
      currentRelease: { id: "r1", manifest: "m", publishedAt: "p" },
    },
    { PK: "PROJECT#game", SK: "RELEASE#r1", id: "r1", manifest: "m", publishedAt: "p" },
  ];
}

function changed(SK: string, change: object): StoredItem[] {
  return whole().map((item) => (item["SK"] === SK ? { ...item, ...change } : item));
}

test("a valid table has no broken invariant", () => {
  expect(brokenInvariants(whole())).toEqual([]);
});

test.each([
  ["an account that is gone", whole().filter(({ SK }) => SK !== "ACCOUNT"), "no account"],
  ["a token that its account does not count", changed("ACCOUNT", { activeTokens: {} }), "active tokens"],
  ["a token without its event", whole().filter(({ SK }) => SK !== "EVENT#3"), "an event for each token"],
  ["a revoked token that counts as active", changed("TOKEN#t1", { revokedAt: "now" }), "active tokens"],
  ["a notice without its event", whole().filter(({ SK }) => SK !== "EVENT#3"), "a notice has its event"],
  ["a notice of a release without its event", whole().filter(({ SK }) => SK !== "EVENT#5"), "a notice has its event"],
  ["an expiry of no token", whole().filter(({ SK }) => SK !== "TOKEN#t1"), "a notice has its event or its token"],
  ["a use without its event", changed("TOKEN#t1", { lastUsedAt: "now" }), "first use"],
  ["a count of projects that is too high", changed("ACCOUNT", { projectCount: 2 }), "counts its projects"],
  ["an ownership of somebody else's project", changed("PROJECT", { ownerKey: "bob" }), "its own"],
  ["a live release that is not there", whole().filter(({ SK }) => SK !== "RELEASE#r1"), "one of its own"],
  ["a live release that expires", changed("RELEASE#r1", { ttl: 1 }), "does not expire"],
  ["a live release that was withdrawn", changed("RELEASE#r1", { withdrawnAt: "now" }), "no withdrawn release is live"],
  ["a live release of another manifest", changed("RELEASE#r1", { manifest: "other" }), "manifest"],
])("%s is found", (_, items, expected) => {
  expect(brokenInvariants(items)).toContainEqual(expect.stringContaining(expected));
});
