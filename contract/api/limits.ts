/** A limit in days, as a span of time. */
export const dayMilliseconds = 86_400_000;

const kib = 1024;
const mib = 1024 * kib;
const gib = 1024 * mib;

/** Every limit of the service. The comment above a limit names the error of a request that exceeds it. */
export const limits = {
  /** `payload_too_large`: enough for 100 disclosed tokens with where they were found. */
  jsonBodyBytes: 512 * kib,
  /** `payload_too_large`: of the JSON that opens a release, with its list of files. */
  manifestBodyBytes: 5 * mib,
  /** `payload_too_large`: of a form that OAuth clients send. */
  formBytes: 16 * kib,
  /** `validation_failed` */
  nameLength: 80,
  /** `validation_failed` */
  bioLength: 1_000,
  /** `validation_failed` */
  descriptionLength: 1_000,
  /** `validation_failed`: pictures on the public page of a game, beside the one that stands for it. */
  picturesPerProject: 6,
  /** `validation_failed` */
  urlLength: 2_048,
  /** A longer path parameter is `invalid_parameters`; a longer `sub` is `id_token_invalid` (OpenID Connect Core, section 2). */
  uidLength: 255,
  /** `token_limit_reached` */
  activeTokensPerAccount: 50,
  /** `validation_failed` */
  projectsPerToken: 50,
  /** `too_many_creations`: tokens and projects, revoked and expired ones too, because what is left of them is kept for up to 400 days. */
  creationsPerAccountAndDay: 1_000,
  /** Changes of what players get that reach the games' edge at once; what an account changes above it takes up to a minute. */
  directPointerWritesPerAccountAndDay: 500,
  /** `project_limit_reached` */
  projectsPerAccount: 50,
  /** `project_deleted`: how long a deleted project can be restored. */
  projectRestoreDays: 7,
  /** `slug_taken`: how long nobody but its owner gets the slug of a deleted project. */
  deletedSlugDays: 30,
  /** `project_limit_reached`: with more of them, an account would take slugs from others by creating and deleting. */
  deletedSlugsPerAccount: 50,
  /** `recent_sign_in_required`: how old a sign-in may be for what reaches players of a project where a person makes live. */
  personSignInSeconds: 900,
  /** `member_limit_reached`: with its owner and open invitations. */
  membersPerProject: 20,
  /** `refused_token_limit_reached`: those with active ones after them. */
  refusedTokensPerProject: 100,
  /** `invitation_not_found`: how long an invitation can be accepted. */
  invitationDays: 7,
  /** `validation_failed` */
  tokenLifetimeDays: 365,
  defaultTokenLifetimeDays: 90,
  /** `validation_failed`: how long a replaced token can go on working. */
  tokenOverlapHours: 168,
  defaultTokenOverlapHours: 24,
  /** `validation_failed` */
  disclosedTokensPerCall: 100,
  /** Events of a token in one response. */
  tokenActivityListed: 100,
  /** Responses to a token that expires within this time have a warning header. */
  tokenExpiryWarningDays: 7,
  /** `last_used_at` is written at most this often. */
  lastUsedIntervalSeconds: 3_600,
  /** The first use of a token from a network is an event, for this many networks. */
  networksPerToken: 20,
  /** Time for which a refused notice is retried. */
  noticeRetrySeconds: 86_400,
  /** `webhook_limit_reached` */
  webhooksPerProject: 5,
  /** `validation_failed`: they stand in the project's item, which each request reads. */
  webhookUrlLength: 500,
  /** `delivery_not_found`: the last ones are kept. */
  deliveriesPerWebhook: 20,
  /** Days for which a delivery is kept. */
  deliveryRetentionDays: 30,
  /** Time for which a delivery that failed is retried. */
  deliveryRetrySeconds: 86_400,
  /** Days without a delivery that arrived, after which a webhook is switched off. */
  webhookFailingDays: 5,
  /** Time that one delivery may take, with its host name's resolution. */
  deliveryTimeoutSeconds: 10,
  /** Notices of one day for which an account gets a mail; those after them are only in its history. */
  mailsPerAccountAndDay: 100,
  /** An invitation is mailed only while its day had fewer mails: whoever invites must not use up the mails about tokens. */
  mailsBeforeInvitations: 10,
  /** `invalid_request`: of the state that comes back with an authorization code. */
  stateLength: 1_024,
  /** `invalid_grant` */
  authorizationCodeLifetimeSeconds: 120,
  /** `expired_token` */
  deviceCodeLifetimeSeconds: 600,
  /** `slow_down`: how often a command line may ask whether its code is approved. */
  devicePollIntervalSeconds: 5,
  /** `too_many_guesses` */
  userCodesPerTenMinutes: 20,
  eventRetentionDays: 400,
  /** Days for which statistics are kept. */
  statisticsRetentionDays: 400,
  /** Days that one request for statistics covers at most. */
  statisticsDays: 92,
  /** Days whose plays the list of projects counts. */
  recentPlaysDays: 30,
  /** `idempotency_key_invalid` */
  idempotencyKeyLength: 255,
  /** Time for which a repeated request with the same key creates nothing more. */
  idempotencyKeySeconds: 86_400,
  /** `publisher_limit_reached` */
  publishersPerProject: 10,
  /** `publisher_limit_reached`: publishers of projects that do not exist yet. */
  pendingPublishersPerAccount: 3,
  /** Time in which jobs can create a project that does not exist yet. */
  pendingPublisherDays: 30,
  /** `token_expired`: how long the token works that a CI job gets for its identity. */
  jobTokenSeconds: 900,
  /** `validation_failed`: of what an identity token of a CI job is compared with. */
  claimLength: 255,
  /** `validation_failed` */
  filesPerRelease: 20_000,
  /** `validation_failed` */
  bytesPerRelease: 10 * gib,
  /** `validation_failed` */
  bytesPerFile: 500 * mib,
  /** A file above this can be sent in parts. */
  largeFileBytes: 16 * mib,
  /** Bytes of each part of a file that is sent in parts; its last part may have fewer. S3 takes no smaller ones. */
  bytesPerPart: 5 * mib,
  /** `validation_failed`: the most that a part may have, which is also what the parts have if the request does not say it. */
  maxBytesPerPart: 16 * mib,
  /** `validation_failed`: of the index of a file, which names its chunks. A file of 500 MiB has some 50 KiB. */
  indexBytes: 256 * kib,
  /** Indexes of the live release's files that the response to an opening names. */
  indexesListed: 32,
  /** Older files that the response to a dry run names, from which deltas can be made. */
  olderFilesListed: 100,
  /** `validation_failed`: parts that one request has copied, so that it responds within seconds. */
  copiesPerCall: 32,
  /** `validation_failed`: of a pack of small files, whose unpacking ends within the time of a request. */
  bytesPerPack: 4 * mib,
  /** `pack_refused`: what a pack has, and what each Brotli copy in it unpacks to, has at most so many bytes. */
  packedFileBytes: 64 * kib,
  /** `pack_refused`: with it, a pack unpacks to 62.5 MiB at most. */
  objectsPerPack: 1_000,
  /** `validation_failed`: packs of a draft that are stored at a time, for each who sends; they count for no quota. */
  packSlots: 16,
  /** `validation_failed`: UTF-8 bytes of one manifest path. */
  pathBytes: 512,
  /** `validation_failed`: of the picture that lists show of a game. */
  pictureBytes: 2 * mib,
  /** Of a release's images, those that are listed to choose its picture from. */
  listedPictures: 100,
  /** `validation_failed`: a compressed variant must be smaller than its file by at least this many percent. */
  variantSavingPercent: 10,
  /** `validation_failed`: deltas of one file, each for browsers that have another older file. */
  deltasPerFile: 3,
  /** `validation_failed`: origins that may show a game in a frame. */
  frameOrigins: 20,
  frameOriginLength: 260,
  immutablePatterns: 10,
  /** `validation_failed`: characters of one pattern. */
  immutablePatternLength: 100,
  /** `validation_failed`: files that browsers load with each page. Their paths are in a header of each page. */
  preloadedFiles: 3,
  /** `validation_failed`: characters of the path of one of them. */
  preloadPathLength: 100,
  /** `validation_failed`: paths that a person has left out of a release. */
  leftOutPaths: 100,
  /** `validation_failed`: characters of one of them, or of the page that is published as index.html. */
  chosenPathLength: 250,
  /** `validation_failed` */
  releaseMessageLength: 1_000,
  /** `validation_failed` */
  uploadUrlsPerCall: 1_000,
  uploadUrlLifetimeSeconds: 3_600,
  /** Upload URLs in the response that opens a release: what 64 uploads at once send while the others are asked for. */
  firstUploadUrls: 500,
  /**
   * `quota_exceeded`: what is stored of a project, or of all projects of an account, and what open releases may still
   * upload. A stage may set others (docs/decisions/0036-quota.md).
   */
  bytesPerProject: 20 * gib,
  objectsPerProject: 100_000,
  bytesPerAccount: 50 * gib,
  objectsPerAccount: 250_000,
  /** Number of a project's latest releases that were live and can go live again; a stage may set another number. */
  keptReleases: 20,
  /** Releases that were live within this many days can be made live again too. */
  keptReleaseDays: 90,
  /** `open_release_limit_reached`: the sweep reads the manifest of each, and none of them is worth a thousand others. */
  openReleasesPerProject: 1_000,
  /** `too_many_previews` */
  previewsPerProject: 10,
  /** `too_many_previews`: of these, those of callers that may only open previews. */
  previewsOfPreviewOnly: 8,
  previewNameLength: 40,
  /** A preview that is kept expires at the end of the UTC day so many days after its last change. */
  keptPreviewDays: 30,
  openReleaseLifetimeSeconds: 7 * 24 * 3_600,
  /** `schedule_invalid`: how far ahead a release can be scheduled. */
  maxScheduleDays: 90,
  /** A scheduled release goes live at most so long after its time; later its schedule ends instead. */
  maxScheduleDelaySeconds: 60,
  /** `telemetry_grant_limit_reached`: those that have neither ended nor expired. */
  telemetryGrantsPerAccount: 10,
  /** `telemetry_grant_invalid` */
  telemetryGrantSeconds: 3_600,
  /** `profile_full` */
  bytesPerProfile: 2 * mib,
  /** `profile_full`: how often the page that measures can be opened with one grant. */
  pagesPerProfile: 20,
  /** `validation_failed`: JSON characters of the records of one request. A page that is left can send 64 KiB (Fetch, keepalive). */
  telemetryCharacters: 60 * kib,
  telemetryRecords: 1_000,
  profileRetentionDays: 30,
  /** `payload_too_large`: of what a player's browser reports. */
  reportsBodyBytes: 16 * kib,
  /** `validation_failed` */
  reportsPerBody: 20,
  /** Crashes of a release that are counted in an hour, and the same of each preview; more change nothing. */
  crashesPerHour: 1_000,
  crashRetentionDays: 92,
  /** Plays are counted some hours late, so a release is judged without the crashes of so many last hours. */
  crashesJudgedAfterHours: 3,
  /** `validation_failed`: sealed bytes of a link with saved games. A browser has them in memory as a whole, on phones too. */
  savesLinkBytes: 64 * mib,
  /** From then on nobody gets what a link has. */
  savesLinkSeconds: 3_600,
  /** `saves_link_limit_reached`: links of a game and its previews in an hour, and their bytes. Anybody can make one. */
  savesLinksPerHour: 300,
  savesLinkBytesPerHour: 256 * mib,
  /** Invalid places of a request that one response names. */
  invalidPlacesListed: 100,
  /** Paths named in each list of a release's changes; the counts beside them are always complete. */
  changedPathsListed: 1_000,
  /** `invalid_parameters` */
  pageSize: 100,
  /** `invalid_parameters`: files of a release, with a URL each, in one response. */
  filesPerPage: 1_000,
  /** How long the URL of a file of a release is valid. */
  readUrlSeconds: 900,
  defaultPageSize: 100,
} as const;
