import { limits } from "../contract/api/limits.ts";
import { type JobProvider, publicIssuers } from "../contract/api/projects/ci-jobs.ts";

/*
 * The environment variables of a function. Each is read when it is needed, because a function has only those that its
 * route uses. Each has a function of its own, so that a bundle contains the names of the variables that its code reads and
 * no others: infra/api/access.test.ts compares them with those of the deployed function.
 */

/** @throws Error that names the missing variable: a mistake of the deployment */
function required(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === "") throw new Error(`The environment variable ${name} is not set`);
  return value;
}

function optional(name: string): string | undefined {
  return process.env[name] || undefined;
}

/** Texts that are separated by commas. */
function list(name: string): readonly string[] {
  return (optional(name) ?? "").split(",").filter(Boolean);
}

/** @throws Error naming the variable that is no number above 0 */
function positiveNumber(name: string): number | undefined {
  const text = optional(name);
  if (text === undefined || Number(text) > 0) return text === undefined ? undefined : Number(text);
  throw new Error(`The environment variable ${name} must be a number above 0`);
}

/** Another endpoint than the region's, as the SDK's clients take it. */
function endpoint(name: string): { endpoint?: string } {
  const value = optional(name);
  return value === undefined ? {} : { endpoint: value };
}

/** Name of the stage, `local` in the local service; undefined: no function runs this, but a command of the operator. */
export function stageName() {
  return optional("SVC_STAGE");
}

export function tableName() {
  return required("TABLE_NAME");
}

/** Another engine than the region's DynamoDB. */
export function dynamodbEndpoint() {
  return endpoint("DYNAMODB_ENDPOINT");
}

export function bucketName() {
  return required("BUCKET_NAME");
}

/** The region of table and bucket: the function's own, unless it runs at the edge. */
export function stageRegion() {
  return optional("STAGE_REGION") ?? optional("AWS_REGION");
}

/** Number of a project's latest releases that were live and are kept. */
export function keptReleases() {
  return positiveNumber("KEPT_RELEASES") ?? limits.keptReleases;
}

/** Days for which a release that was live is kept. */
export function keptDays() {
  return positiveNumber("KEPT_DAYS") ?? limits.keptReleaseDays;
}

/** Quota of one project: how much may be stored of it. */
export function projectQuota() {
  return {
    bytes: positiveNumber("BYTES_PER_PROJECT") ?? limits.bytesPerProject,
    objects: positiveNumber("OBJECTS_PER_PROJECT") ?? limits.objectsPerProject,
  };
}

/** Quota of all projects of one account: how much may be stored of them. */
export function accountQuota() {
  return {
    bytes: positiveNumber("BYTES_PER_ACCOUNT") ?? limits.bytesPerAccount,
    objects: positiveNumber("OBJECTS_PER_ACCOUNT") ?? limits.objectsPerAccount,
  };
}

/** Bytes that players may get in a month of one project, and of all projects of one account; undefined: as many as they like. */
export function trafficLimits() {
  return {
    project: positiveNumber("TRAFFIC_BYTES_PER_PROJECT"),
    account: positiveNumber("TRAFFIC_BYTES_PER_ACCOUNT"),
    /** Only the operator hears of it; players go on playing. */
    isOnlyTold: optional("TRAFFIC_ONLY_TELL") !== undefined,
  };
}

/** Another store than the region's S3. */
export function s3Endpoint() {
  return optional("S3_ENDPOINT");
}

/** The names of the options that the stage leaves out. */
export function leftOutOptions() {
  return list("LEFT_OUT_OPTIONS");
}

/** Time for which a run waits for a release whose time comes: a stage's runs come once a minute, and local ones all the time. */
export function scheduleWaitSeconds() {
  return Number(optional("SCHEDULE_WAIT_SECONDS") ?? 0);
}

/** Whether something delivers notices and deletes them then: an option says so to every function. */
export function deliversNotices() {
  return optional("NOTICES") !== undefined;
}

/** Path, in each game's origin, of the page that moves saved games: an option says it to every function; undefined: there is none. */
export function savesPage() {
  return optional("SAVES_PAGE");
}

/** Name of the event bus for notices; undefined: they go to the log. */
export function eventBusName() {
  return optional("EVENT_BUS_NAME");
}

/** Another endpoint than the region's EventBridge. */
export function eventBridgeEndpoint() {
  return endpoint("EVENTBRIDGE_ENDPOINT");
}

/** Whether webhooks may be on this machine, by http: a deployed stage never says so. Local service only. */
export function allowsLocalWebhooks() {
  return optional("SVC_WEBHOOKS_LOCAL") !== undefined && stageName() === "local";
}

/** The sender of mails: an address, with a name before it or without. */
export function mailFrom() {
  return required("MAIL_FROM");
}

/** Another endpoint than the region's SES. */
export function sesEndpoint() {
  return endpoint("SES_ENDPOINT");
}

/** The database of the games' access log in the data catalog, and the work group of Athena that queries it: both have this name. */
export function athenaDatabase() {
  return required("ATHENA_DATABASE");
}

/** Another endpoint than the region's Athena. */
export function athenaEndpoint() {
  return endpoint("ATHENA_ENDPOINT");
}

/** Another endpoint than CloudWatch's in us-east-1, where CloudFront's metrics are. */
export function cloudWatchEndpoint() {
  return endpoint("CLOUDWATCH_ENDPOINT");
}

/** The domain below which each project has a host name of its own; a stage may have none. */
export function gamesDomain() {
  return optional("GAMES_DOMAIN");
}

/** The domain for games of a stage whose games' edge logs each request, so that what players get is counted; a stage may have none. */
export function gamesEdgeDomain() {
  return optional("GAMES_EDGE_DOMAIN");
}

/** The ARN of the key-value store from which the games' edge learns what is live; undefined: the stage has no such edge. */
export function gamesStoreArn() {
  return optional("GAMES_STORE_ARN");
}

/** Changes of a minute that the requests of all accounts bring to the games' edge themselves; undefined: any number. */
export function directPointerWritesPerMinute() {
  return positiveNumber("DIRECT_POINTER_WRITES_PER_MINUTE");
}

/** The games' distribution, for the operator's commands and for the function that compares its log with its metric. */
export function gamesDistributionId() {
  return optional("GAMES_DISTRIBUTION_ID");
}

/** Another endpoint than CloudFront's for this store. */
export function gamesStoreEndpoint() {
  return endpoint("GAMES_STORE_ENDPOINT");
}

/** The URL where a game is reported to the operator, with `{slug}` where its slug belongs; a stage may have none. */
export function reportUrl() {
  return optional("REPORT_URL");
}

/** The API's origin, if the stage has a domain of its own for it. */
export function apiOrigin() {
  return optional("API_ORIGIN");
}

/** Domains of verified email addresses whose people may become developers; none: those of every domain. */
export function developerEmailDomains() {
  return list("DEVELOPER_EMAIL_DOMAINS");
}

/** The claim that the ID token of whoever becomes a developer must have; undefined: none. */
export function developerClaim() {
  const name = optional("DEVELOPER_CLAIM");
  return name === undefined ? undefined : { name, value: required("DEVELOPER_CLAIM_VALUE") };
}

/** Whether the operator approves whoever becomes a developer. */
export function developersNeedApproval() {
  return optional("DEVELOPER_APPROVAL") !== undefined;
}

/** Days that a new token may be valid for, at most. */
export function maxTokenDays() {
  return positiveNumber("MAX_TOKEN_DAYS") ?? limits.tokenLifetimeDays;
}

/** The dashboard's origin; a stage may have none. */
export function dashboardOrigin() {
  return optional("DASHBOARD_ORIGIN");
}

/** Where the command line's package is served; a stage without a dashboard has none. */
export function commandLineUrl() {
  return optional("COMMAND_LINE_URL");
}

export function idpIssuer() {
  return required("IDP_ISSUER");
}

export function idpAudience() {
  return required("IDP_AUDIENCE");
}

export function idpJwksUri() {
  return required("IDP_JWKS_URI");
}

/** Audiences that may stand beside ours in an ID token. */
export function idpTrustedAudiences() {
  return list("IDP_TRUSTED_AUDIENCES");
}

/** Applications other than ours that an ID token for us may be issued to. */
export function idpAuthorizedParties() {
  return list("IDP_AUTHORIZED_PARTIES");
}

/** The Firebase tenant whose ID tokens are accepted; undefined: those without a tenant. */
export function idpTenant() {
  return optional("IDP_TENANT");
}

/** The longest time from `iat` to `exp` of an ID token. */
export function idpTokenLifetimeSeconds() {
  return (positiveNumber("IDP_TOKEN_LIFETIME_HOURS") ?? 24) * 3_600;
}

/** Age of a sign-in, at most, for a route that needs a recent one; undefined: the stage has no limit. */
export function idpSignInSeconds() {
  const minutes = positiveNumber("IDP_SIGN_IN_MINUTES");
  return minutes === undefined ? undefined : minutes * 60;
}

/** Authentication contexts of which a sign-in must have one to change what players get where a person makes live; empty: any. */
export function idpAcrValues() {
  return list("IDP_ACR_VALUES");
}

/**
 * The issuers of the identity tokens of CI jobs: the providers' public ones, and the stage's self-hosted ones, such as
 * `github=https://github.example.com/_services/token,gitlab=https://gitlab.example.com`.
 */
export function jobIssuers(): Readonly<Record<JobProvider, readonly string[]>> {
  const entries = list("JOB_ISSUERS");
  const of = (provider: JobProvider) => [
    publicIssuers[provider],
    ...entries.flatMap((entry) => (entry.startsWith(`${provider}=`) ? [entry.slice(provider.length + 1)] : [])),
  ];
  return { github: of("github"), gitlab: of("gitlab") };
}

/** If it is set, unsigned ID tokens of the emulator are accepted: anybody can be anybody. Local service only. */
export function idpAuthEmulatorHost() {
  return optional("IDP_AUTH_EMULATOR_HOST");
}

/**
 * Lambda sets these itself, and no function's configuration can set or remove them (AWS Lambda, "Defined runtime environment
 * variables"). AWS_EXECUTION_ENV other services set too, to other values.
 */
function isLambda({
  AWS_LAMBDA_FUNCTION_NAME,
  AWS_LAMBDA_RUNTIME_API,
  LAMBDA_TASK_ROOT,
  AWS_EXECUTION_ENV,
}: NodeJS.ProcessEnv) {
  const lambdaVariables = [AWS_LAMBDA_FUNCTION_NAME, AWS_LAMBDA_RUNTIME_API, LAMBDA_TASK_ROOT];
  return lambdaVariables.some((value) => value !== undefined) || AWS_EXECUTION_ENV?.startsWith("AWS_Lambda") === true;
}

/** @throws Error if the emulator is switched on anywhere but in the local service; in Lambda whatever the stage calls itself */
export function refuseEmulatorOutsideLocalStage(): void {
  if (idpAuthEmulatorHost() !== undefined && (isLambda(process.env) || process.env["SVC_STAGE"] !== "local"))
    throw new Error("IDP_AUTH_EMULATOR_HOST accepts unsigned ID tokens and must not be set on a deployed stage");
}
