/** A limit in days, as a span of time. */
export const dayMilliseconds = 86_400_000;

const kib = 1024;
const mib = 1024 * kib;
const gib = 1024 * mib;

/** Every limit of the service. Each one answers with the error code that the comment beside it names. */
export const limits = {
  /** `payload_too_large` */
  jsonBodyBytes: 5 * mib,
  /** `validation_failed` */
  nameLength: 80,
  /** `validation_failed` */
  bioLength: 1_000,
  /** `validation_failed` */
  descriptionLength: 1_000,
  /** `validation_failed` */
  urlLength: 2_048,
  /** A longer path parameter is `invalid_parameters`; a longer `sub` is `id_token_invalid` (OpenID Connect Core, section 2). */
  uidLength: 255,
  /** `token_limit_reached` */
  activeTokensPerAccount: 50,
  /** `validation_failed` */
  projectsPerToken: 50,
  /** `project_limit_reached` */
  projectsPerAccount: 50,
  /** `project_deleted`: so long can a deleted project be restored. */
  projectRestoreDays: 7,
  /** `slug_taken`: so long is the slug of a deleted project closed to all but its owner. */
  deletedSlugDays: 30,
  /** `transfer_not_found`: so long can the offer of a project be accepted. */
  transferOfferDays: 7,
  /** `validation_failed` */
  tokenLifetimeDays: 365,
  defaultTokenLifetimeDays: 90,
  /** `validation_failed`: how long a token goes on working beside its replacement. */
  tokenOverlapHours: 168,
  defaultTokenOverlapHours: 24,
  /** `validation_failed` */
  disclosedTokensPerCall: 100,
  /** Events of a token that one response lists. */
  tokenActivityListed: 100,
  /** Responses to a token that expires within this time carry a warning header. */
  tokenExpiryWarningDays: 7,
  /** `last_used_at` is written at most this often. */
  lastUsedIntervalSeconds: 3_600,
  /** A use of a token from a network that it was not used from before is an event, until it was used from this many. */
  networksPerToken: 20,
  /** A notice that nobody accepts is tried again for this long. */
  noticeRetrySeconds: 86_400,
  /** `invalid_grant` */
  authorizationCodeLifetimeSeconds: 120,
  /** `expired_token` */
  deviceCodeLifetimeSeconds: 600,
  /** `slow_down`: a command line asks once in this time whether its code is approved. */
  devicePollIntervalSeconds: 5,
  /** `too_many_guesses` */
  userCodesPerTenMinutes: 20,
  eventRetentionDays: 400,
  /** `validation_failed` */
  filesPerRelease: 20_000,
  /** `validation_failed` */
  bytesPerRelease: 10 * gib,
  /** `validation_failed` */
  bytesPerFile: 500 * mib,
  /** `validation_failed`: UTF-8 bytes of one manifest path. */
  pathBytes: 512,
  /** `validation_failed`: a compressed variant of a file must be smaller than the file by this many percent of it. */
  variantSavingPercent: 10,
  /** `validation_failed` */
  immutablePatterns: 10,
  /** `validation_failed`: characters of one pattern. */
  immutablePatternLength: 100,
  /** `validation_failed` */
  releaseMessageLength: 1_000,
  /** `validation_failed` */
  uploadUrlsPerCall: 1_000,
  uploadUrlLifetimeSeconds: 3_600,
  /**
   * `quota_exceeded`: what is stored of a project, and of all projects of an account, which counts what open releases may
   * still upload. A stage may have others (docs/decisions/0036-quota.md).
   */
  bytesPerProject: 20 * gib,
  objectsPerProject: 100_000,
  bytesPerAccount: 50 * gib,
  objectsPerAccount: 250_000,
  /** The last so many releases of a project that were live can be rolled back to; a stage may keep others. */
  keptReleases: 20,
  /** So can all that were live in the last so many days. */
  keptReleaseDays: 90,
  openReleaseLifetimeSeconds: 7 * 24 * 3_600,
  /** Invalid places of a request that one response names. */
  invalidPlacesListed: 100,
  /** Paths named in each list of a release's changes; the counts beside them are always complete. */
  changedPathsListed: 1_000,
  /** `invalid_parameters` */
  pageSize: 100,
  defaultPageSize: 100,
} as const;
