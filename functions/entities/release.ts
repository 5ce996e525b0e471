import type { ReleaseSettings } from "../../contract/api/releases/release-settings.ts";
import type { ReleaseChoices } from "./decisions.ts";
import type { Amount } from "./project.ts";
import type { JobRun } from "./publisher.ts";
import type { Publisher } from "./token.ts";

/** Origin of a release's files. */
export interface ReleaseSource {
  readonly commit: string;
  readonly runUrl?: string;
}

/** A release of a project. The project alone says which one is live. */
export interface Release {
  readonly id: string;
  /** The digest of its manifest, which is the name of the object that contains it. */
  readonly manifest: string;
  /** Set if a token or CI job has published it while a person makes live in its project, until it goes live. */
  readonly waiting?: { readonly since: string; readonly by: Publisher };
  /**
   * Set if the manifest has deltas: the digest that it has without. Releases with the same files and settings have the same, so what is
   * said of a release's files is said of it: whether they are live, or withdrawn.
   */
  readonly filesDigest?: string;
  readonly files: number;
  readonly bytes: number;
  readonly createdAt: string;
  /** The how many-th of its project to go live it is. Unset until it does. */
  readonly number?: number;
  /** The last time that it went live. */
  readonly publishedAt?: string;
  /** Message of the publisher about the release. */
  readonly message?: string;
  /** The last time that the message was edited. */
  readonly messageEditedAt?: string;
  /** Set if it has the files of the release that was live: the settings in which it differs from that one. */
  readonly changedSettings?: readonly (keyof ReleaseSettings)[];
  readonly source?: ReleaseSource;
  /** The path of the file that lists show of it (contract/api/releases/pictures.ts). */
  readonly picture?: string;
  readonly choices?: ReleaseChoices;
  /** The run of a trusted publisher that opened it, or found it open. */
  readonly provenance?: JobRun;
  /** Publisher that made it live last. */
  readonly publishedBy?: Publisher;
  /** When and by whom it was made live for the first time: a roll-back does not change this. */
  readonly firstPublished?: {
    readonly at: string;
    readonly by: Publisher;
    /** Set if the job that uploaded it made it live too. */
    readonly run?: JobRun;
  };
  /** Bytes that players load who have the release that was live when it was opened; unset if deltas save nothing. */
  readonly returning?: { readonly bytes: number; readonly withoutDeltas: number };
  /** Time of its withdrawal: since then it cannot go live, and visits do not get its files (docs/decisions/0048-withdrawal.md). */
  readonly withdrawnAt?: string;
  /** Time of its expiry, also for a request that has begun in an earlier second. */
  readonly discardedAt?: string;
  /**
   * The openers (functions/domain/releases/openers.ts) that may only open previews and opened it, or found it open: beside the live
   * release they see such ones alone.
   */
  readonly openers?: readonly string[];
  /** Set if a caller that may only open previews opened it. */
  readonly previewOnly?: true;
  /** Author of its message, source, picture and choices: an account, or the opener of a CI job or of a caller that may only open previews. */
  readonly describedBy?: string;
  /** Only while it is open: what was counted when it was opened: its manifest, and what was missing of its files. */
  readonly reserved?: Amount;
  /** Only while it is open: epoch seconds at which it expires. DynamoDB deletes it some time later. */
  readonly ttl?: number;
}
