import type * as z from "zod/mini";
import type { CamelKeys } from "../../contract/api/camel-keys.ts";
import type { projectRole, updateProject } from "../../contract/api/projects/projects.ts";
import type { AccountEvent, Suspension } from "./account.ts";
import type { Decisions } from "./decisions.ts";
import type { JobRun, TrustedPublisher } from "./publisher.ts";
import type { Publisher } from "./token.ts";

/** Projects whose pointers at the games' edge are to be written (docs/decisions/0050-the-pointer.md). */
export interface WaitingPointers {
  readonly id: string;
  readonly from: string;
  readonly slugs: readonly string[];
  /** Keys of the only one of the slugs, of which the project may have none any more. */
  readonly previews: readonly string[];
}

/** It has each field that its owner may change. */
export interface Project extends ProjectChanges {
  readonly slug: string;
  /** The key of the account that owns it. */
  readonly ownerKey: string;
  readonly name: string;
  readonly description: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  /**
   * Since when its slug belongs to this owner; set if it belonged to another account before, whose games' data players'
   * browsers may still keep (docs/decisions/0024-a-game-has-its-own-origin.md#what-browsers-keep-of-a-games-origin).
   */
  readonly ownedSince?: string;
  /** The live release; a project without one has nothing to play. */
  readonly currentRelease?: CurrentRelease;
  /** Unset until a release goes live, and of projects of before: then the live release's own hold. */
  readonly decided?: Decisions;
  /** Nobody can play or change it while it is set. */
  readonly suspension?: Suspension;
  /** Players get a page until this time, because the month's traffic is used up; not if the operator has lifted it. */
  readonly trafficLimit?: { readonly until: string; readonly isLifted?: true };
  /** Time of its deletion. Its account does not count it any more; the owner can restore it for some days. */
  readonly deletedAt?: string;
  /** Set by the sweeper before it removes anything of a deleted project, which cannot be restored from then on. */
  readonly sweepBegunAt?: string;
  /** Set by the sweeper when no release, manifest or file of it is left: its slug can be given out again. */
  readonly sweptAt?: string;
  /** Whose CI jobs may publish it. A new owner has none of them. */
  readonly publishers?: readonly TrustedPublisher[];
  /** Number of times that the tokens of its publishers were revoked together, by a deletion, a suspension or a transfer; 0 if it is missing. */
  readonly publisherEpoch?: number;
  /** Number of times that it was taken offline; 0 if it is missing. */
  readonly offlineEpoch?: number;
  /** Its previews, also those that have expired lately. */
  readonly previews?: readonly Preview[];
  /** The release that goes live by itself at a time. */
  readonly schedule?: Schedule;
  /** URLs that are told of its changes: an option of stages sends to them. A new owner has none of them. */
  readonly webhooks?: readonly Webhook[];
  /** Its other people, by the keys of their accounts. */
  readonly members?: Readonly<Record<string, Member>>;
  /** Tokens of its people that it refuses, by the id of the first of those that replaced each other. */
  readonly refusedTokens?: Readonly<Record<string, RefusedToken>>;
  /** By their ids; also some that have expired. Each is gone when it is accepted, withdrawn or refused, and with a deletion. */
  readonly invitations?: Readonly<Record<string, Invitation>>;
  /** The number of the release that got one last; 0 if it is missing. */
  readonly numbered?: number;
  /** Number of releases that were opened so far; 0 if it is missing. The same for `epoch`. */
  readonly opened?: number;
  /**
   * Number of open releases: counted when one is opened or goes live for the first time, and set by the sweep. 0 if it is missing; what
   * goes live while a sweep reads may be counted wrong until the next one.
   */
  readonly openReleases?: number;
  /** Number of deletion intents for its objects that were written or taken over so far (docs/decisions/0016-sweep.md). */
  readonly epoch?: number;
  /** Set while there is a deletion intent (functions/entities/sweep-run.ts). */
  readonly deleting?: true;
  /** At least what is stored and may still be uploaded (docs/decisions/0036-quota.md); 0 if missing, as `usedObjects`. */
  readonly usedBytes?: number;
  readonly usedObjects?: number;
  /** The part of it that was counted for drafts of callers that may only open previews; 0 if missing, as `draftObjects`. */
  readonly draftBytes?: number;
  readonly draftObjects?: number;
}

/** Since when a project refuses a token, and whose it is. */
export interface RefusedToken {
  readonly at: string;
  readonly accountKey: string;
}

/** A release that can be played at a URL of its own: an open one, or one that was live before. */
export interface Preview {
  /** No two of a project have the same. One without a name shows this release alone. */
  readonly name?: string;
  /** The 20 digits of its host; of one without a name the first of its manifest's digest. */
  readonly digits?: string;
  readonly releaseId: string;
  readonly manifest: string;
  /** The manifests that it showed before, the last one first: a visit that began with one continues with it. */
  readonly earlier?: readonly string[];
  /** One that has ended and is opened anew has another time. */
  readonly openedAt: string;
  /** Epoch seconds. */
  readonly expiresAt: number;
  /** Set if its owner wants to keep it for longer than an open release is kept. */
  readonly kept?: true;
  /** The opener (functions/domain/releases/openers.ts) of the token or CI job that opened it; unset if a person did. */
  readonly openedBy?: string;
  /** Set if its opener may only open previews. */
  readonly previewOnly?: true;
}

/** A release that goes live by itself at a time (docs/decisions/0078-live-at-an-hour.md). */
export interface Schedule {
  readonly releaseId: string;
  readonly manifest: string;
  /** A whole minute. */
  readonly at: string;
  readonly madeAt: string;
  readonly by: Publisher;
  /** Set if a person makes live in the project: then it is one who had just signed in. */
  readonly isAgreed?: true;
  /** Set if it stays though another new release goes live. */
  readonly despiteChanges?: true;
}

/** When to look at the schedule of a project. The project says whether it still has that one. */
export interface DueSchedule extends Pick<Schedule, "at" | "madeAt"> {
  readonly slug: string;
  /** Epoch seconds after which DynamoDB may delete it. */
  readonly ttl: number;
}

/** URL that is told of changes of a project. */
export interface Webhook {
  readonly id: string;
  /** A secret: that of a chat service lets whoever knows it write there. */
  readonly url: string;
  /** Key of the signatures, base64. */
  readonly key: string;
  readonly createdAt: string;
  /** Set if a person has switched it off. */
  readonly isOff?: boolean | undefined;
}

/** Bytes, and the objects of the store that hold them. */
export interface Amount {
  readonly bytes: number;
  readonly objects: number;
}

/**
 * Amount that is counted in addition, and how much of it is for drafts of callers that may only open previews; missing:
 * nothing.
 */
export interface CountedAmount extends Amount {
  readonly drafts?: Amount | undefined;
}

/**
 * Ledger of what is counted for all projects of an account, also for deleted ones while something of them is stored. It stays
 * when the account is deleted.
 */
export interface Ledger {
  readonly usedBytes: number;
  readonly usedObjects: number;
  /** As of a project. */
  readonly draftBytes?: number;
  readonly draftObjects?: number;
  /** Epoch seconds after which DynamoDB may delete the ledger of a deleted account. */
  readonly ttl?: number;
}

export type ProjectRole = z.infer<typeof projectRole>;

/** Account that may change a project beside its owner (docs/decisions/0070-people-of-a-project.md). */
export interface Member {
  /** Names the member on the wire, because a uid has no place in a path. */
  readonly id: string;
  readonly role: Exclude<ProjectRole, "owner">;
  readonly since: string;
  /** Set if the account came with the project's creation, as one of its owner's team. */
  readonly byTeam?: true;
}

/** Who joins each project that an account creates, by the keys of their accounts. It is no right: a right is a member of a project. */
export interface Team {
  readonly members: Readonly<Record<string, TeamMember>>;
}

export interface TeamMember extends Pick<Member, "id" | "role" | "since"> {
  readonly uid: string;
}

/** Record of the team that an account is in, so that it ends with the account. */
export interface TeamMembership {
  readonly ownerKey: string;
  readonly ownerUid: string;
  readonly since: string;
}

export interface Invitation {
  readonly role: ProjectRole;
  /** The key of the account that invites. */
  readonly fromKey: string;
  readonly expiresAt: string;
  /** The account that alone may accept it; if it is missing, `secret` is set. */
  readonly to?: { readonly key: string; readonly uid: string };
  /** 128 bits of the SHA-256 of the link's secret. */
  readonly secret?: string;
  /** Other projects that it is to, by their slugs, and whether who accepts it has joined them. */
  readonly more?: Readonly<Record<string, "open" | "joined">>;
  /** Set if it is also to each project that who invites creates from then on. */
  readonly future?: true;
  /** Set while somebody accepts it project by project: the key of the account that alone goes on with it. */
  readonly takenBy?: string;
}

/** One line of a project's history. It contains no uid: its people's accounts may be deleted. */
export interface ProjectEvent extends Omit<AccountEvent, "project" | "network" | "foundAt"> {
  /** The key of the account that caused it; unset for a CI job and the operator. */
  readonly byKey?: string | undefined;
  /** The key of the account that it happened to. */
  readonly memberKey?: string | undefined;
  readonly role?: ProjectRole | undefined;
}

/** Places of a project that the edge's cache keeps through its releases: edge/cache/place.ts. */
export interface CachedPlaces {
  readonly era: string;
  readonly changes: readonly string[];
  /** Number of the changes that earlier releases of this era have, by their manifests' digests. */
  readonly counts: Readonly<Record<string, number>>;
  /** Marks of the live release's deltas (edge/cache/place.ts); releases that went live with an earlier version have none. */
  readonly deltas?: readonly string[];
}

export interface CurrentRelease {
  readonly id: string;
  readonly publishedAt: string;
  /** The digest of its manifest, so that serving a file reads only the project. */
  readonly manifest: string;
  /** As of the release. */
  readonly filesDigest?: string;
  /** The path of the picture that is shown of it (functions/domain/releases/live-picture.ts). */
  readonly picture?: string;
  /** The release that was live before it. */
  readonly previous: string | null;
  /**
   * The digests of manifests that were live before it, the last one first, up to a limit and without withdrawn ones. A
   * player whose visit began with one of them continues with it.
   */
  readonly earlier?: readonly string[];
  /**
   * The manifest that was live before it, if this release is the newer one: after an update, not after a rollback. Players whose
   * browsers keep no cookies get from it what the live release lacks, unless it is withdrawn.
   */
  readonly fallback?: string;
  readonly places: CachedPlaces;
  /** The run that uploaded it and made it live first, which everybody may see if this account owns the project and shows it. */
  readonly run?: Pick<JobRun, "repository" | "commit" | "runUrl"> & { readonly accountKey: string };
}

/** Changes that an owner may make; undefined leaves a field as it is. */
export type ProjectChanges = CamelKeys<z.infer<(typeof updateProject)["body"]>>;
