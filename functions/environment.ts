import { limits } from "../contract/limits.ts";

/*
 * The environment variables of a function. Each is read when it is needed, because a function has only those that its
 * route uses.
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

export const environment = {
  get tableName() {
    return required("TABLE_NAME");
  },
  /** Another engine than the region's DynamoDB. */
  get dynamodbEndpoint() {
    return optional("DYNAMODB_ENDPOINT");
  },
  get bucketName() {
    return required("BUCKET_NAME");
  },
  /** How many of a project's latest releases that were live are kept. */
  get keptReleases() {
    return positiveNumber("KEPT_RELEASES") ?? limits.keptReleases;
  },
  /** For how many days a release that was live is kept. */
  get keptDays() {
    return positiveNumber("KEPT_DAYS") ?? limits.keptReleaseDays;
  },
  /** What may be stored of one project. */
  get projectQuota() {
    return {
      bytes: positiveNumber("BYTES_PER_PROJECT") ?? limits.bytesPerProject,
      objects: positiveNumber("OBJECTS_PER_PROJECT") ?? limits.objectsPerProject,
    };
  },
  /** What may be stored of all projects of one account. */
  get accountQuota() {
    return {
      bytes: positiveNumber("BYTES_PER_ACCOUNT") ?? limits.bytesPerAccount,
      objects: positiveNumber("OBJECTS_PER_ACCOUNT") ?? limits.objectsPerAccount,
    };
  },
  /** Another store than the region's S3. */
  get s3Endpoint() {
    return optional("S3_ENDPOINT");
  },
  /** Where notices go; undefined: to the log. */
  get eventBusName() {
    return optional("EVENT_BUS_NAME");
  },
  /** Another endpoint than the region's EventBridge. */
  get eventBridgeEndpoint() {
    return optional("EVENTBRIDGE_ENDPOINT");
  },
  /** The sender of mails: an address, with a name before it or without. */
  get mailFrom() {
    return required("MAIL_FROM");
  },
  /** Another endpoint than the region's SES. */
  get sesEndpoint() {
    return optional("SES_ENDPOINT");
  },
  /** The domain below which each project has a host name of its own; a stage may have none. */
  get gamesDomain() {
    return optional("GAMES_DOMAIN");
  },
  /** The URL where a game is reported to the operator, with `{slug}` where its slug belongs; a stage may have none. */
  get reportUrl() {
    return optional("REPORT_URL");
  },
  /** The dashboard's origin; a stage may have none. */
  get dashboardOrigin() {
    return optional("DASHBOARD_ORIGIN");
  },
  get idpIssuer() {
    return required("IDP_ISSUER");
  },
  get idpAudience() {
    return required("IDP_AUDIENCE");
  },
  get idpJwksUri() {
    return required("IDP_JWKS_URI");
  },
  /** Audiences that may stand beside ours in an ID token. */
  get idpTrustedAudiences() {
    return list("IDP_TRUSTED_AUDIENCES");
  },
  /** Applications other than ours that an ID token for us may be issued to. */
  get idpAuthorizedParties() {
    return list("IDP_AUTHORIZED_PARTIES");
  },
  /** The Firebase tenant whose ID tokens are accepted; undefined: those without a tenant. */
  get idpTenant() {
    return optional("IDP_TENANT");
  },
  /** The longest time from `iat` to `exp` of an ID token. */
  get idpTokenLifetimeSeconds() {
    return (positiveNumber("IDP_TOKEN_LIFETIME_HOURS") ?? 24) * 3_600;
  },
  /** How long ago the sign-in may be for a route that needs a recent one; undefined: the stage has no limit. */
  get idpSignInSeconds() {
    const minutes = positiveNumber("IDP_SIGN_IN_MINUTES");
    return minutes === undefined ? undefined : minutes * 60;
  },
  /** Where GitHub publishes the keys that it signs secret-scanning alerts with. */
  get githubKeysUri() {
    return optional("GITHUB_KEYS_URI") ?? "https://api.github.com/meta/public_keys/secret_scanning";
  },
  /** Where it is set, unsigned ID tokens of the emulator are accepted: anybody can be anybody. Local service only. */
  get idpAuthEmulatorHost() {
    return optional("IDP_AUTH_EMULATOR_HOST");
  },
};

/** @throws Error where the emulator is switched on anywhere but in the local service */
export function refuseEmulatorOutsideLocalStage(): void {
  if (environment.idpAuthEmulatorHost !== undefined && process.env["SVC_STAGE"] !== "local")
    throw new Error("IDP_AUTH_EMULATOR_HOST accepts unsigned ID tokens and must not be set on a deployed stage");
}
