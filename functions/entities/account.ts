import type * as z from "zod/mini";
import type {
  eventType,
  publicationAct,
  scheduleEnd,
  suspensionReason,
  updateMe,
} from "../../contract/api/accounts/accounts.ts";
import type { CamelKeys } from "../../contract/api/camel-keys.ts";
import type { JobRun } from "./publisher.ts";
import type { Client } from "./token.ts";

/** Whom a verified ID token names, with or without an account. */
export interface Identity {
  readonly issuer: string;
  readonly uid: string;
  /** The name that the provider gives, if it can be public. */
  readonly name: string | null;
  /** The public name of an account whose provider gives none. */
  readonly placeholderName: string;
  readonly email: string | null;
  /** Whether the provider has verified the email address. */
  readonly emailVerified: boolean;
  readonly avatar: string | null;
  /** When the person last signed in at the provider, in epoch seconds; null if it does not say. */
  readonly authTime: number | null;
  /** All of the ID token, which nothing stores. */
  readonly claims: Readonly<Record<string, unknown>>;
}

/** An account: the user record and, for a developer, the developer record. It has each field that the profile may change. */
export interface Account extends ProfileChanges {
  /** A digest of issuer and uid; every key of the account's items contains it. */
  readonly key: string;
  readonly uid: string;
  readonly name: string;
  readonly avatar: string | null;
  readonly email: string | null;
  /** Whether the provider has verified the email address. */
  readonly emailVerified: boolean;
  /** Whether each sign-in takes the name from the provider; false from the first edit of the name on. */
  readonly nameFollowsProvider: boolean;
  readonly role: "user" | "dev";
  readonly createdAt: string;
  /** Set for a developer. */
  readonly developerSince?: string;
  /** Set while the account waits for the operator to approve it as a developer's: since when. */
  readonly developerRequestedAt?: string;
  /** Token id → expiry, for every token that is neither revoked nor removed as expired. The limit of tokens counts these. */
  readonly activeTokens: Readonly<Record<string, string>>;
  readonly projectCount: number;
  /** Number of tokens and projects that were created on the last day of UTC on which one was, revoked and deleted ones too. */
  readonly creations?: { readonly day: string; readonly count: number };
  readonly suspension?: Suspension;
  /** Telemetry grant → expiry, for those that have not ended; expired ones go with the next. The limit counts these. */
  readonly telemetryGrants?: Readonly<Record<string, string>>;
  /**
   * Number of times that all tokens were revoked or the account suspended; 0 if it is missing. What was approved under another number
   * becomes no token. Not a time, because clocks differ.
   */
  readonly approvalEpoch?: number;
}

/** Remains of a deleted account. Only the issuer and uid, of which its key is a digest, tell whose it was. */
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
  /** Set if a project is suspended because its owner's account is. */
  readonly withAccount?: true;
  /** Set if the project is deleted too: its files are swept. Those of any other suspended project are kept as evidence. */
  readonly isTakedown?: true;
}

export type SuspensionReason = z.infer<typeof suspensionReason>;

/** Changes that each sign-in takes from the provider; undefined leaves a field as it is. */
export interface ProviderChanges {
  readonly name?: string | undefined;
  readonly nameFollowsProvider?: boolean;
  readonly email?: string | null;
  readonly emailVerified?: boolean;
}

/** Changes that a user may make to their profile; undefined leaves a field as it is. */
export type ProfileChanges = CamelKeys<z.infer<(typeof updateMe)["body"]>>;

/** One line of an account's history. It contains no name, email address or secret. */
export interface AccountEvent {
  readonly id: string;
  readonly type: EventType;
  readonly at: string;
  /** The token that the event happened to, or that caused it. */
  readonly tokenId?: string | undefined;
  readonly project?: string;
  readonly releaseId?: string | undefined;
  /** What the release was when it happened. */
  readonly release?: ReleaseFacts | undefined;
  readonly publisherId?: string | undefined;
  /** What a token was called that a project refused or took again. */
  readonly tokenName?: string | undefined;
  /** The URL where a disclosed token was found. */
  readonly foundAt?: string | undefined;
  /** The reason of a suspension. */
  readonly reason?: SuspensionReason;
  /** The network from which a token was used for the first time. */
  readonly network?: string | undefined;
  /** Epoch seconds after which DynamoDB may delete it. */
  readonly ttl?: number;
}

/** Facts about a release at the time of its event, which says how it went live. */
export interface ReleaseFacts {
  readonly number?: number;
  readonly message?: string;
  /** The commit that the client named. */
  readonly commit?: string;
  /** Set if it went live. */
  readonly act?: PublicationAct;
  /** Set if it was scheduled: for when. */
  readonly scheduledFor?: string;
  /** Set if its schedule ended. */
  readonly scheduleEnd?: ScheduleEnd;
  /** The name of the token that was used; a CI job's says nothing. */
  readonly tokenName?: string;
  /** The kind of client that used the token. */
  readonly client?: Client["client"];
  /** The run of the CI job that did it, which the account that owned the project then may see. */
  readonly run?: Pick<JobRun, "commit" | "runUrl"> & { readonly accountKey: string };
}

/** How a release goes live: for the first time, for the first time after a preview of it, or again. */
export type PublicationAct = z.infer<typeof publicationAct>;

export type ScheduleEnd = z.infer<typeof scheduleEnd>;

export type EventType = z.infer<typeof eventType>;
