import type { Scope } from "../../contract/api/route.ts";
import type { JobGrant } from "./publisher.ts";

/** A personal access token without its raw value, which is never stored. */
export interface Token {
  readonly id: string;
  /** The account that owns it. */
  readonly accountKey: string;
  /** SHA-256 of the raw token, base64. */
  readonly hash: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** The slugs of the only projects that it may act on; null: all projects of its owner. */
  readonly projects: readonly string[] | null;
  readonly hint: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  /** When a token that was replaced would have expired. */
  readonly originalExpiresAt?: string;
  /** The id of the first token of those that replaced each other; unset for the first. */
  readonly lineage?: string;
  readonly revokedAt?: string;
  readonly lastUsedAt?: string;
  readonly lastUsedBy?: Client;
  /** The networks that it was used from, in the order of their first use, up to a limit. */
  readonly networks?: readonly string[];
  /** Present in a token that a CI job got for its identity. */
  readonly job?: JobGrant;
  /** Epoch seconds after which DynamoDB may delete it: its last events are deleted then too. */
  readonly ttl?: number;
}

/**
 * Account that made a release live or scheduled it, and its token unless it was an ID token. It has no uid, because a release stays with a project that is
 * handed over, and may outlive the account.
 */
export interface Publisher {
  readonly accountKey: string;
  readonly token: Pick<Token, "id" | "name"> | null;
  /** The trusted publisher, if a CI job did it: its token is one of the project's owner. */
  readonly publisherId?: string;
}

/** Facts that are kept about the sender of a request. */
export interface Client {
  readonly client: "svc" | "browser" | "other";
  /** An IPv4 network of 24 bits or an IPv6 network of 48; null if the address is not known. */
  readonly network: string | null;
}
