import type { Scope } from "../../contract/api/route.ts";

/*
 * Grants and codes that the service stores until a command line has its token. Types only
 * (docs/decisions/0001-one-table-no-index.md#entities-are-types-below-all-layers).
 */

/** Token for a command line, as a person has approved it. */
export interface ApprovedToken {
  readonly accountKey: string;
  readonly approvedAt: string;
  /** The account's at that time. */
  readonly approvalEpoch: number;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly projects: readonly string[] | null;
  readonly expiresInDays: number | undefined;
}

/** A grant is exchanged for a token once. */
interface Grant {
  /** Set by the transaction that stores the token. */
  readonly spentAt?: string;
  readonly tokenId?: string;
  /** Epoch seconds at which it expires. DynamoDB deletes it some time later. */
  readonly ttl: number;
}

/** Authorization code with the values that it was issued for; its key is a digest of the code, which is not stored. */
export interface AuthorizationCode extends Grant {
  readonly redirectUri: string;
  /** SHA-256 of the client's verifier, base64url. */
  readonly codeChallenge: string;
  readonly approved: ApprovedToken;
}

/** A machine without a browser that waits for a person to enter its user code, of which its key is a digest. */
export interface DeviceRequest extends Grant {
  /** SHA-256 of the device code, base64. */
  readonly hash: string;
  readonly tokenName: string | null;
  readonly scopes: readonly Scope[];
  /** Slug of the only project that it asks for. */
  readonly project?: string | undefined;
  readonly createdAt: string;
  /** Least time between two of its requests. */
  readonly intervalSeconds: number;
  readonly askedAt?: string;
  /** Decision of the person: null is a denial. */
  readonly approved?: ApprovedToken | null;
}

/** Number of user codes that an account has looked up in a period. */
export interface CodeLookups {
  readonly count: number;
  readonly ttl: number;
}
