/** Progress of the sweep of all projects (functions/domain/sweep/projects.ts). */
export interface SweepState {
  /** Time until which no other run begins. */
  readonly leaseEndsAt: string;
  /** When the current round began; in a round all projects are swept once. */
  readonly beganAt: string;
  /** When all projects were swept; missing while the round goes on. */
  readonly endedAt?: string;
  /** Set by versions that check copies: the first round of such a one begins at once, for what was live before. */
  readonly checksCopies?: true;
  /** The last project whose sweep began in this round. */
  readonly after?: string;
  /** The projects whose sweep began and did not finish, each with how often it began. */
  readonly attempts: Readonly<Record<string, number>>;
}

/** Order to sweep a project from a time on, before its turn in the round. */
export interface DueSweep {
  readonly slug: string;
  readonly from: string;
}

/** Objects of a project that the sweeper deletes. While it is stored, no release is opened that names one of them. */
export interface DeletionIntent {
  /** The project's epoch that it belongs to. */
  readonly epoch: number;
  /** The DELETE requests are signed for the time until then. */
  readonly leaseEndsAt: string;
  /** The SHA-256s of files, 32 bytes each. */
  readonly files: Uint8Array;
  /** The digests of manifests, 32 bytes each. */
  readonly manifests: Uint8Array;
  /** The digests of manifests of whose copies something is known that nobody needs, 32 bytes each; missing: none. */
  readonly facts?: Uint8Array;
  /** Proofs, each by the digest of its opener and the SHA-256 of the file, 64 bytes together; missing: none. */
  readonly proofs?: Uint8Array;
}
