import { createHash } from "node:crypto";
import { accountKeyLength, base62 } from "../../contract/token-format.ts";

/** The primary key of an item. */
export interface Key {
  readonly PK: string;
  readonly SK: string;
}

const idLength = 22;

/** 128 bits of a digest as fixed-length base62. */
function shortDigest(digest: Buffer): string {
  return base62(BigInt(`0x${digest.toString("hex", 0, 16)}`), idLength);
}

/** The account's part of every key of its items, and of its tokens. JSON keeps ("a", "bc") and ("ab", "c") apart. */
export function accountKey(issuer: string, uid: string): string {
  const key = shortDigest(
    createHash("sha256")
      .update(JSON.stringify([issuer, uid]))
      .digest(),
  );
  return key.slice(0, accountKeyLength);
}

/** The id of a token from the SHA-256 of its raw value: public, and of no use to find the raw value. */
export function tokenIdOf(hash: Buffer): string {
  return shortDigest(hash);
}

export const keys = {
  account: (key: string): Key => ({ PK: `ACCOUNT#${key}`, SK: "ACCOUNT" }),
  token: (key: string, tokenId: string): Key => ({ PK: `ACCOUNT#${key}`, SK: `${prefixes.token}${tokenId}` }),
  event: (key: string, eventId: string): Key => ({ PK: `ACCOUNT#${key}`, SK: `${prefixes.event}${eventId}` }),
  ownership: (key: string, slug: string): Key => ({ PK: `ACCOUNT#${key}`, SK: `${prefixes.ownership}${slug}` }),
  project: (slug: string): Key => ({ PK: `PROJECT#${slug}`, SK: "PROJECT" }),
  release: (slug: string, releaseId: string): Key => ({ PK: `PROJECT#${slug}`, SK: `${prefixes.release}${releaseId}` }),
  /** The id of the open release that has this manifest, so that the same manifest finds the same open release. */
  openManifest: (slug: string, digest: string): Key => ({ PK: `PROJECT#${slug}`, SK: `MANIFEST#${digest}` }),
};

/** What the sort keys of each kind of listed item begin with. */
export const prefixes = {
  token: "TOKEN#",
  event: "EVENT#",
  ownership: "PROJECT#",
  release: "RELEASE#",
} as const;
