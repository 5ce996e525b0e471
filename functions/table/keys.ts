import { createHash } from "node:crypto";
import { base62 } from "../../contract/api/tokens/token-format.ts";
import type { Account, AccountEvent, Tombstone } from "../entities/account.ts";
import type { AuthorizationCode, CodeLookups, DeviceRequest } from "../entities/grant.ts";
import type { IdempotentCreation } from "../entities/idempotent-creation.ts";
import type { PendingNotice, WebhookEvent } from "../entities/notice.ts";
import type {
  DueSchedule,
  Ledger,
  Project,
  ProjectEvent,
  Team,
  TeamMembership,
  WaitingPointers,
} from "../entities/project.ts";
import type { JobIdentity, PendingPublishers } from "../entities/publisher.ts";
import type { Release } from "../entities/release.ts";
import type { DeletionIntent, DueSweep, SweepState } from "../entities/sweep-run.ts";
import type { Token } from "../entities/token.ts";

/*
 * Why there is one table without an index: docs/decisions/0001-one-table-no-index.md.
 */

declare const itemType: unique symbol;

/** The primary key of an item. `Item` is the type of that item; it exists for the compiler only. */
export interface Key<Item = unknown> {
  readonly PK: string;
  readonly SK: string;
  readonly [itemType]?: Item;
}

/** The type of the item that a key leads to. */
export type ItemOf<K> = K extends { readonly [itemType]?: infer Item } ? Item : never;

/** All items of a partition whose sort key begins with `prefix`. */
export interface KeyRange<Item> {
  readonly PK: string;
  readonly prefix: string;
  readonly [itemType]?: Item;
}

const idLength = 22;

/** 128 bits of a digest as fixed-length base62. */
function shortDigest(digest: Buffer): string {
  return base62(BigInt(`0x${digest.toString("hex", 0, 16)}`), idLength);
}

/** The part of an account that all its keys and tokens contain. JSON keeps ("a", "bc") and ("ab", "c") different. */
export function accountKey(issuer: string, uid: string): string {
  return digestOf(JSON.stringify([issuer, uid]));
}

/** The id of a token, from the SHA-256 of its raw value. It is public: the raw value cannot be found from it. */
export function tokenIdOf(hash: Buffer): string {
  return shortDigest(hash);
}

/** The part of a grant's key that follows from its code: 128 bits of the code's SHA-256. */
export function grantKey(code: string): string {
  return digestOf(code);
}

function digestOf(text: string): string {
  return shortDigest(createHash("sha256").update(text).digest());
}

/** Record of an account's project, as its owner or a possible member: the project says whether it still is. */
export interface Ownership {
  readonly slug: string;
  readonly createdAt: string;
  readonly isMember?: true;
}

/** Record of a project that an account has deleted; it stands in place of the ownership. */
export interface DeletedProject {
  readonly slug: string;
  /** Epoch seconds after which anybody may take the slug. */
  readonly ttl: number;
}

/** Record of an account's invitation to a project; the project says whether it is still open. */
export interface ReceivedInvitation {
  readonly slug: string;
  /** Epoch seconds at which the invitation expires. */
  readonly ttl: number;
}

/** Record of the open release that has a manifest, or of a withdrawn one that had it. */
export interface OpenManifest {
  readonly releaseId: string;
  /** Present for an open release: epoch seconds at which it expires. */
  readonly ttl?: number;
  /** Set if a release with the manifest was withdrawn: none that has it is opened or goes live. */
  readonly withdrawnAt?: string;
}

/** Record of an exchanged identity token. */
export interface SpentIdentity {
  /** Epoch seconds, after its expiry, at which DynamoDB may delete it. */
  readonly ttl: number;
}

/** What the public pages of an account's games say of their author. */
export interface Author {
  readonly displayName: string;
}

const accountPartition = (key: string) => `ACCOUNT#${key}`;
/**
 * Notices that wait are in eight partitions, so that no single one takes the writes of all accounts. The notices of one
 * account are in one partition, in the order of their times.
 */
export const outboxShards = [0, 1, 2, 3, 4, 5, 6, 7] as const;
export const outboxPartition = (shard: number) => `OUTBOX#${shard}`;
/** What waits to be sent to webhooks. One partition: what is sent to them is far less than one takes. */
export const webhookPartition = "OUTBOX#WEBHOOKS";
/** One partition: the store at the edge takes far fewer writes a second than a partition. */
export const pointerPartition = "POINTER#WAITING";
/** One partition: a project has one schedule, and what is due in a minute is read at once. */
export const schedulePartition = "SCHEDULE#DUE";
/** Partition of the sweep's state, and of projects that are due before their turn: the state sorts after every time. */
export const sweepPartition = "SWEEP";
const shardOf = (key: string) => key.charCodeAt(key.length - 1) % outboxShards.length;
export const projectPartition = (slug: string) => `PROJECT#${slug}`;
const prefixes = {
  token: "TOKEN#",
  event: "EVENT#",
  ownership: "PROJECT#",
  deletedProject: "DELETED#",
  invitation: "INVITATION#",
  teamMembership: "TEAM#",
  release: "RELEASE#",
  codeLookups: "LOOKUPS#",
  idempotentCreation: "CREATION#",
} as const;

export const keys = {
  account: (key: string): Key<Account> => ({ PK: accountPartition(key), SK: "ACCOUNT" }),
  tombstone: (key: string): Key<Tombstone> => ({ PK: accountPartition(key), SK: "TOMBSTONE" }),
  token: (key: string, id: string): Key<Token> => ({ PK: accountPartition(key), SK: prefixes.token + id }),
  event: (key: string, id: string): Key<AccountEvent> => ({ PK: accountPartition(key), SK: prefixes.event + id }),
  ownership: (key: string, slug: string): Key<Ownership> => ({
    PK: accountPartition(key),
    SK: prefixes.ownership + slug,
  }),
  deletedProject: (key: string, slug: string): Key<DeletedProject> => ({
    PK: accountPartition(key),
    SK: prefixes.deletedProject + slug,
  }),
  invitation: (key: string, slug: string): Key<ReceivedInvitation> => ({
    PK: accountPartition(key),
    SK: prefixes.invitation + slug,
  }),
  team: (ownerKey: string): Key<Team> => ({ PK: accountPartition(ownerKey), SK: "TEAM" }),
  teamMembership: (key: string, ownerKey: string): Key<TeamMembership> => ({
    PK: accountPartition(key),
    SK: prefixes.teamMembership + ownerKey,
  }),
  projectEvent: (slug: string, id: string): Key<ProjectEvent> => ({
    PK: projectPartition(slug),
    SK: prefixes.event + id,
  }),
  /**
   * Not among the account's items, because it stays when the account is deleted, and because the sweeper may change it
   * but no item of an account.
   */
  ledger: (key: string): Key<Ledger> => ({ PK: `LEDGER#${key}`, SK: "LEDGER" }),
  /** Not among the account's items, because the function at the games' edge may read it, and no item of an account. */
  author: (key: string): Key<Author> => ({ PK: `AUTHOR#${key}`, SK: "AUTHOR" }),
  notice: (key: string, at: string, id: string): Key<PendingNotice> => ({
    PK: outboxPartition(shardOf(key)),
    SK: `${at}#${id}`,
  }),
  webhookEvent: (at: string, id: string): Key<WebhookEvent> => ({ PK: webhookPartition, SK: `${at}#${id}` }),
  waitingPointers: ({ from, id }: Pick<WaitingPointers, "from" | "id">): Key<WaitingPointers> => ({
    PK: pointerPartition,
    SK: `${from}#${id}`,
  }),
  /** Number of changes of a day that an account's own requests have brought to the games' edge. */
  directWrites: (key: string, day: string): Key<{ readonly count: number; readonly ttl: number }> => ({
    PK: `POINTER#WRITES#${key}`,
    SK: day,
  }),
  /** The same of all accounts in a minute. */
  directWritesOfAll: (minute: string): Key<{ readonly count: number; readonly ttl: number }> => ({
    PK: "POINTER#MINUTES",
    SK: minute,
  }),
  dueSchedule: ({ at, slug }: Pick<DueSchedule, "at" | "slug">): Key<DueSchedule> => ({
    PK: schedulePartition,
    SK: `${at}#${slug}`,
  }),
  project: (slug: string): Key<Project> => ({ PK: projectPartition(slug), SK: "PROJECT" }),
  release: (slug: string, id: string): Key<Release> => ({ PK: projectPartition(slug), SK: prefixes.release + id }),
  sweep: (): Key<SweepState> => ({ PK: sweepPartition, SK: "SWEEP" }),
  dueSweep: ({ slug, from }: DueSweep): Key<DueSweep> => ({ PK: sweepPartition, SK: `${from}#${slug}` }),
  /** The deletion intent, while there is one. */
  deletionIntent: (slug: string): Key<DeletionIntent> => ({ PK: projectPartition(slug), SK: "DELETION" }),
  /** The open release that has this manifest, so that the same manifest finds the same open release; or that it is withdrawn. */
  openManifest: (slug: string, digest: string): Key<OpenManifest> => ({
    PK: projectPartition(slug),
    SK: `MANIFEST#${digest}`,
  }),
  /** @param key the {@link grantKey} of the code */
  authorizationCode: (key: string): Key<AuthorizationCode> => ({ PK: `CODE#${key}`, SK: "CODE" }),
  /** @param key the {@link grantKey} of the user code */
  deviceRequest: (key: string): Key<DeviceRequest> => ({ PK: `DEVICE#${key}`, SK: "DEVICE" }),
  /** Key of an exchanged identity token of a CI job; `jti` is unique for each issuer. */
  spentIdentity: ({ issuer, id }: Pick<JobIdentity, "issuer" | "id">): Key<SpentIdentity> => ({
    PK: `JTI#${digestOf(JSON.stringify([issuer, id]))}`,
    SK: "JTI",
  }),
  pendingPublishers: (key: string): Key<PendingPublishers> => ({ PK: accountPartition(key), SK: "PENDING" }),
  codeLookups: (key: string, period: number): Key<CodeLookups> => ({
    PK: accountPartition(key),
    SK: prefixes.codeLookups + period,
  }),
  idempotentCreation: (key: string, idempotencyKey: string): Key<IdempotentCreation> => ({
    PK: accountPartition(key),
    SK: prefixes.idempotentCreation + digestOf(idempotencyKey),
  }),
};

export const ranges = {
  tokens: (key: string): KeyRange<Token> => ({ PK: accountPartition(key), prefix: prefixes.token }),
  events: (key: string): KeyRange<AccountEvent> => ({ PK: accountPartition(key), prefix: prefixes.event }),
  ownerships: (key: string): KeyRange<Ownership> => ({ PK: accountPartition(key), prefix: prefixes.ownership }),
  deletedProjects: (key: string): KeyRange<DeletedProject> => ({
    PK: accountPartition(key),
    prefix: prefixes.deletedProject,
  }),
  invitations: (key: string): KeyRange<ReceivedInvitation> => ({
    PK: accountPartition(key),
    prefix: prefixes.invitation,
  }),
  teamMemberships: (key: string): KeyRange<TeamMembership> => ({
    PK: accountPartition(key),
    prefix: prefixes.teamMembership,
  }),
  projectEvents: (slug: string): KeyRange<ProjectEvent> => ({ PK: projectPartition(slug), prefix: prefixes.event }),
  codeLookups: (key: string): KeyRange<CodeLookups> => ({ PK: accountPartition(key), prefix: prefixes.codeLookups }),
  idempotentCreations: (key: string): KeyRange<IdempotentCreation> => ({
    PK: accountPartition(key),
    prefix: prefixes.idempotentCreation,
  }),
  releases: (slug: string): KeyRange<Release> => ({ PK: projectPartition(slug), prefix: prefixes.release }),
};
