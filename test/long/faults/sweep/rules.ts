/** The rules of the protocol. The exploration can leave out each of them. */
export interface Rules {
  /** Opening a release is counted, and a deletion is announced only if none was opened since the sweeper began. */
  readonly announcingFailsAfterOpening: boolean;
  /** A release is opened only if no deletion was announced since the request read the project. */
  readonly openingFailsAfterAnnouncing: boolean;
  /** A release is not opened while an announced deletion names one of its objects. */
  readonly openingWaitsForDeletion: boolean;
  /** The transaction that ends a release fails if it is live. */
  readonly endingFailsWhileLive: boolean;
  /** The transaction that publishes a release fails if it has ended. */
  readonly publishingFailsAfterEnding: boolean;
  /** All DELETE requests of a deletion are signed for the time of its lease, and S3 refuses them afterwards. */
  readonly deletesExpire: boolean;
  /** A deletion is over when all its DELETE requests had a response or its lease has ended. */
  readonly finishingWaitsForDeletes: boolean;
  /** Another sweeper continues a deletion only when its lease has ended. */
  readonly takingOverWaitsForLease: boolean;
}

export const protocol: Rules = {
  announcingFailsAfterOpening: true,
  openingFailsAfterAnnouncing: true,
  openingWaitsForDeletion: true,
  endingFailsWhileLive: true,
  publishingFailsAfterEnding: true,
  deletesExpire: true,
  finishingWaitsForDeletes: true,
  takingOverWaitsForLease: true,
};

/** Reads what the manifests name, lists the bucket, and deletes the rest. */
export const naive: Rules = {
  announcingFailsAfterOpening: false,
  openingFailsAfterAnnouncing: false,
  openingWaitsForDeletion: false,
  endingFailsWhileLive: true,
  publishingFailsAfterEnding: true,
  deletesExpire: false,
  finishingWaitsForDeletes: false,
  takingOverWaitsForLease: false,
};
