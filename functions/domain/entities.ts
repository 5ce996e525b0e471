import type * as z from "zod/mini";
import type { eventType, suspensionReason } from "../../contract/accounts.ts";
import type { Scope } from "../../contract/route.ts";
import type { JobGrant, JobRun, TrustedPublisher } from "./publishers/entities.ts";

/* What the service stores. Only types: domain/ has the rules about them, table/ stores them. */

/** Whom a verified ID token names, with or without an account. */
export interface Identity {
  readonly issuer: string;
  readonly uid: string;
  /** The name that the provider gives, where it can be public. */
  readonly name: string | null;
  /** The public name of an account whose provider gives none. */
  readonly placeholderName: string;
  readonly email: string | null;
  /** Whether the provider has verified the email address. */
  readonly emailVerified: boolean;
  readonly avatar: string | null;
  /** When the person last signed in at the provider, in epoch seconds; null where it does not say. */
  readonly authTime: number | null;
}

/** An account: the user record and, for a developer, the developer record. */
export interface Account {
  /** A digest of issuer and uid; every key of the account's items contains it. */
  readonly key: string;
  readonly uid: string;
  readonly name: string;
  readonly avatar: string | null;
  readonly email: string | null;
  /** Whether the provider has verified the email address. */
  readonly emailVerified?: boolean;
  /** Whether each sign-in takes the name from the provider; false from the first edit of the name on. */
  readonly nameFollowsProvider?: boolean;
  readonly role: "user" | "dev";
  readonly createdAt: string;
  /** Set for a developer. */
  readonly developerSince?: string;
  readonly displayName?: string | null;
  readonly bio?: string | null;
  /** Token id → expiry, for every token that is neither revoked nor removed as expired. The limit of tokens counts these. */
  readonly activeTokens: Readonly<Record<string, string>>;
  readonly projectCount: number;
  /** How many tokens and projects were created on the last day of UTC on which one was, ended ones too. */
  readonly creations?: { readonly day: string; readonly count: number };
  readonly suspension?: Suspension;
  /**
   * How often all tokens were revoked or the account suspended; 0 where it is missing. What was approved under another
   * number becomes no token. Not a time, because clocks differ.
   */
  readonly approvalEpoch?: number;
}

/** What stays of a deleted account. Only the issuer and uid, of which its key is a digest, tell whose it was. */
export interface Tombstone {
  readonly deletedAt: string;
  /** Set until everything else of the account is erased. */
  readonly isErasing?: true;
  /** Epoch seconds at which DynamoDB may delete it. */
  readonly ttl?: number;
}

/** Only the operator sets and removes it. */
export interface Suspension {
  readonly at: string;
  readonly reason: SuspensionReason;
  /** Set where a project is suspended because its owner's account is. */
  readonly withAccount?: true;
  /** Of a deleted project: its files are swept. Those of any other suspended project are kept as evidence. */
  readonly isTakedown?: true;
}

export type SuspensionReason = z.infer<typeof suspensionReason>;

/** What each sign-in takes from the provider; undefined leaves a field as it is. */
export interface ProviderChanges {
  readonly name?: string | undefined;
  readonly nameFollowsProvider?: boolean;
  readonly email?: string | null;
  readonly emailVerified?: boolean;
}

/** What a user may edit; undefined leaves a field as it is. */
export interface ProfileChanges {
  readonly name?: string | undefined;
  readonly avatar?: string | null | undefined;
  readonly displayName?: string | null | undefined;
  readonly bio?: string | null | undefined;
}

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
  /** Of a token that was replaced: when it would have expired. */
  readonly endedEarlyFrom?: string;
  readonly revokedAt?: string;
  readonly lastUsedAt?: string;
  readonly lastUsedBy?: Client;
  /** The networks that it was used from, in the order of their first use, up to a limit. */
  readonly networks?: readonly string[];
  /** Only of a token that a CI job got for its identity. */
  readonly job?: JobGrant;
  /** Epoch seconds after which DynamoDB may delete it: its last events are deleted then too. */
  readonly ttl?: number;
}

/** What is kept of the sender of a request. */
export interface Client {
  readonly client: "svc" | "browser" | "other";
  /** An IPv4 network of 24 bits or an IPv6 network of 48; null where the address is not known. */
  readonly network: string | null;
}

/** One line of an account's history. It contains no name, email address or secret. */
export interface AccountEvent {
  readonly id: string;
  readonly type: EventType;
  readonly at: string;
  /** The token that the event happened to, or that caused it. */
  readonly tokenId?: string | undefined;
  readonly project?: string;
  readonly releaseId?: string | undefined;
  readonly publisherId?: string | undefined;
  /** Of a disclosed token: the URL where it was found, and who reported it, where a signature proved that. */
  readonly foundAt?: string | undefined;
  readonly reportedBy?: "github" | undefined;
  /** Of a suspension: its reason. */
  readonly reason?: SuspensionReason;
  /** The network from which a token was used for the first time. */
  readonly network?: string | undefined;
  /** Epoch seconds after which DynamoDB may delete it. */
  readonly ttl?: number;
}

export type EventType = z.infer<typeof eventType>;

/** Projects whose pointers at the games' edge are to be written (docs/decisions/0050-the-pointer.md). */
export interface WaitingPointers {
  readonly id: string;
  readonly from: string;
  readonly slugs: readonly string[];
  /** Keys of previews that have ended. */
  readonly previews: readonly string[];
}

export interface Project {
  readonly slug: string;
  /** The key of the account that owns it. */
  readonly ownerKey: string;
  readonly name: string;
  readonly description: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  /**
   * Since when its slug belongs to this owner; set where it belonged to another account before, whose games' data players'
   * browsers may still keep (docs/decisions/0046-what-browsers-keep-of-an-origin.md).
   */
  readonly ownedSince?: string;
  /** Below which of the stage's games domains it is played, counted from 0; 0 where it is missing. */
  readonly gamesDomain?: number;
  /** The live release; a project without one has nothing to play. */
  readonly currentRelease?: CurrentRelease;
  /** Nobody can play or change it while it is set. */
  readonly suspension?: Suspension;
  /** Since when it is deleted. Its account does not count it any more; the owner can restore it for some days. */
  readonly deletedAt?: string;
  /** Set by the sweeper before it removes anything of a deleted project, which cannot be restored from then on. */
  readonly sweepBegunAt?: string;
  /** Set by the sweeper when no release, manifest or file of it is left: its slug can be given out again. */
  readonly sweptAt?: string;
  /** Whether everybody may see where its live release comes from. A new owner decides anew. */
  readonly showProvenance?: boolean;
  /** Whose CI jobs may publish it. A new owner has none of them. */
  readonly publishers?: readonly TrustedPublisher[];
  /**
   * How often the tokens of its publishers were ended together, by a deletion, a suspension or a transfer; 0 where it is missing.
   */
  readonly publisherEpoch?: number;
  /** Its previews, also those that have expired lately. */
  readonly previews?: readonly Preview[];
  /** To whom its owner offers it. */
  readonly transfer?: TransferOffer;
  /** How many releases were opened so far; 0 where it is missing. The same for `epoch`. */
  readonly opened?: number;
  /**
   * How many releases are open: counted when one is opened or goes live for the first time, and set by the sweep. 0 where
   * it is missing; what goes live while a sweep reads may be counted wrong until the next one.
   */
  readonly openReleases?: number;
  /** How many deletions of its objects were announced or taken over so far (docs/decisions/0016-sweep.md). */
  readonly epoch?: number;
  /** Set while there is an announced deletion (functions/domain/sweep/entities.ts). */
  readonly deleting?: true;
  /** At least what is stored and may still be uploaded (docs/decisions/0036-quota.md); 0 where missing, as `usedObjects`. */
  readonly usedBytes?: number;
  readonly usedObjects?: number;
}

/** An open release that can be played at a URL of its own. */
export interface Preview {
  readonly releaseId: string;
  readonly manifest: string;
  /** Epoch seconds. */
  readonly expiresAt: number;
}

/** Bytes, and the objects of the store that hold them. */
export interface Amount {
  readonly bytes: number;
  readonly objects: number;
}

/**
 * What is counted of all projects of an account, also of deleted ones while something of them is stored. It stays when
 * the account is deleted.
 */
export interface Ledger {
  readonly usedBytes: number;
  readonly usedObjects: number;
  /** Of a deleted account: epoch seconds after which DynamoDB may delete it. */
  readonly ttl?: number;
}

/** An offer ends when it is accepted or withdrawn, when it expires, and with the deletion of the project. */
export interface TransferOffer {
  /** The key of the account that may accept it. */
  readonly toKey: string;
  readonly toUid: string;
  readonly expiresAt: string;
}

export interface CurrentRelease {
  readonly id: string;
  readonly publishedAt: string;
  /** The digest of its manifest, so that serving a file reads only the project. */
  readonly manifest: string;
  /** The path of the release's picture. */
  readonly picture?: string;
  /** The release that was live before it. */
  readonly previous: string | null;
  /**
   * The digests of manifests that were live before it, the last one first, up to a limit and without withdrawn ones. A
   * player whose visit began with one of them continues with it.
   */
  readonly earlier?: readonly string[];
  /** Set where it has an attestation: what everybody may see of its run, if this account owns the project and shows it. */
  readonly run?: Pick<JobRun, "repository" | "commit" | "runUrl"> & { readonly accountKey: string };
}

/** What an owner may edit; undefined leaves a field as it is. */
export interface ProjectChanges {
  readonly name?: string | undefined;
  readonly description?: string | null | undefined;
  readonly showProvenance?: boolean | undefined;
}

/** Where a release's files were made. */
export interface ReleaseSource {
  readonly commit: string;
  readonly runUrl?: string;
}

/**
 * Who made a release live: the account, and its token unless it was an ID token. It has no uid, because a release stays
 * with a project that is handed over, and may outlive the account.
 */
export interface Publisher {
  readonly accountKey: string;
  readonly token: Pick<Token, "id" | "name"> | null;
}

/** An ECDSA signature of a release's statement. */
export interface StatementSignature {
  readonly keyId: string;
  /** SHA-256 of what is signed, base64. Where the statement would be another one today, it is signed again. */
  readonly digest: string;
  /** DER-encoded, base64. */
  readonly signature: string;
}

/** A release of a project. The project alone says which one is live. */
export interface Release {
  readonly id: string;
  /** The digest of its manifest, which is the name of the object that contains it. */
  readonly manifest: string;
  readonly files: number;
  readonly bytes: number;
  readonly createdAt: string;
  /** The last time that it went live. */
  readonly publishedAt?: string;
  /** What its publisher says of it. */
  readonly message?: string;
  readonly source?: ReleaseSource;
  /** The path of the file that lists show of it (contract/pictures.ts). */
  readonly picture?: string;
  /** The run of a trusted publisher that opened it, or found it open. */
  readonly provenance?: JobRun;
  /** Who made it live last. */
  readonly publishedBy?: Publisher;
  /** When and by whom it was made live for the first time: a roll-back does not change this. */
  readonly firstPublished?: {
    readonly at: string;
    readonly by: Publisher;
    /** Set where the job that uploaded it made it live too: what its attestation says. */
    readonly run?: JobRun;
  };
  /** The signature of its attestation, once somebody has asked for it. */
  readonly attested?: StatementSignature;
  /** Since when it can be live no more, and visits do not get its files (docs/decisions/0048-withdrawal.md). */
  readonly withdrawnAt?: string;
  /** Only while it is open: epoch seconds at which it expires. DynamoDB deletes it some time later. */
  readonly ttl?: number;
}
