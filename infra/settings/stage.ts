import * as z from "zod/mini";
import { limits } from "../../contract/api/limits.ts";
import { reportUrlProblem } from "../../contract/api/projects/report-url.ts";
import { packagePath } from "../../dashboard/site.ts";
import { overbookingProblems } from "../api/throttling.ts";
import {
  edgeRegion,
  gamesDomainProblems,
  hostedZoneOf,
  isCertificateOf,
  originShieldRegion,
} from "../hosts/domains.ts";
import {
  atLeastOne,
  certificateArn,
  domainName,
  flag,
  hostedZoneId,
  httpsUrl,
  isKnownLater,
  origin,
  positive,
  text,
} from "./setting-values.ts";
import { optionProblems, optionSettings } from "./stage-option.ts";

/** A stage that cannot be deployed as it is configured: one sentence for the person who runs `cdk`. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}

/** The periods that CloudWatch Logs can keep a log for. */
const logRetentionDays = [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 3653] as const;

/** They reach the functions separated by commas. The discovery document of each stands below it. */
const jobIssuers = z
  .array(
    z
      .string()
      .check(
        z.regex(
          /^https:\/\/[a-z0-9.-]+(?::\d+)?(?:\/[\w./-]*[\w-])?$/,
          "must be an https URL without a slash at its end",
        ),
      ),
  )
  .check(z.minLength(1, "must have an issuer or be left out"));

/** They reach the functions separated by commas. */
const names = z.array(z.string().check(z.regex(/^[^,\s]+$/, "must be a name without commas and white space")));

const gamesDomain = z.strictObject({
  /** A registered domain that holds nothing else: not the API, not the dashboard, no page of yours. */
  name: domainName("games.example.net"),
  /**
   * A certificate of AWS Certificate Manager, for all names below it (`*.games.example.net`), in the stage's account and in us-east-1; without it the
   * stage makes one, if `hostedZones` has the domain.
   */
  certificateArn: z.optional(certificateArn),
  /**
   * Set once browsers have the domain on the Public Suffix List. Without the entry every game can set cookies for all the
   * others, and so keep them from loading.
   */
  isPublicSuffix: flag,
});

export type GamesDomain = z.output<typeof gamesDomain>;

const pageUrl = z
  .string()
  .check(
    z.refine(
      (value) => URL.canParse(value) && ["https:", "mailto:"].includes(new URL(value).protocol),
      "must be an https or mailto URL",
    ),
  );

/** They stand in quotes in a header, separated by spaces (RFC 9470, section 3). */
const acrValues = z.array(
  z
    .string()
    .check(z.regex(/^[!#-+\--[\]-~]+$/, "must be printable ASCII without white space, commas, quotes and backslashes")),
);

const identityProvider = z.strictObject(
  {
    /** Exactly the `iss` of its ID tokens. */
    issuer: httpsUrl,
    /** The `aud` of ID tokens for this service: project id (Firebase) or app client id (Cognito). */
    audience: text,
    /** URL of its signing keys. */
    jwksUri: httpsUrl,
    /** Audiences that may stand beside ours in an ID token (ZITADEL, a Keycloak audience mapper); none by default. */
    trustedAudiences: z.optional(names),
    /** The `azp` of ID tokens that are issued to other applications for ours (Google on Android); none by default. */
    authorizedParties: z.optional(names),
    /** The Firebase tenant whose ID tokens are accepted; by default those without a tenant. */
    tenant: z.optional(text),
    /** The longest lifetime of an ID token that is accepted; 24 by default. A longer one makes a stolen token useful longer. */
    tokenLifetimeHours: z.optional(positive),
    /**
     * The routes with `recentSignIn` need a sign-in that is at most this old, by `auth_time`. By default only deleting the
     * account does: 10 minutes, if the provider sends `auth_time`.
     */
    signInMinutes: z.optional(positive),
    /**
     * Values of the claim `acr` of which a sign-in must have one to change what players get where a person makes live, such as
     * `["phr"]`; the dashboard asks the provider for them. Any by default.
     */
    acrValues: z.optional(acrValues),
  },
  'must be "cognito", or issuer, audience and jwksUri of a provider',
);

/** Whose ID tokens are accepted. The values of a stage's own user pool are known when it is deployed. */
export type IdentityProvider = z.output<typeof identityProvider>;

const dashboard = z.strictObject({
  /** Its host name, on a domain that holds no game and not the API; without it the one that CloudFront gives. */
  domain: z.optional(
    z.strictObject({
      name: domainName("dashboard.example.com"),
      /** As that of `gamesDomain`, in us-east-1, where CloudFront reads them. */
      certificateArn: z.optional(certificateArn),
    }),
  ),
  /** The page's public client at the identity provider, if it is not the audience. */
  clientId: z.optional(text),
  /** Firebase's web configuration, all of it public, if people sign in with Firebase Authentication. */
  firebase: z.optional(
    z.strictObject({
      apiKey: text,
      authDomain: domainName("my-app.firebaseapp.com"),
    }),
  ),
  /** Origins of the identity provider beside its issuer's that the page sends requests to, such as its token endpoint's. */
  origins: z.optional(z.array(origin)),
});

export type Dashboard = z.output<typeof dashboard> & {
  /** Where it is if it has no domain, which is known when it is deployed. */
  readonly origin?: string;
};

/** The output with the dashboard's URL. */
export const dashboardOutput = "DashboardUrl";

/** The outputs by which the deploy command and the operator's commands find a stage's own user pool and its issuer. */
export const userPoolOutputs = { pool: "UserPoolId", client: "UserPoolClientId", issuer: "Issuer" } as const;

const coreSettings = {
  /** The AWS account, 12 digits. Give each stage its own, so that it cannot use up or break what another needs. */
  account: z.string().check(z.regex(/^\d{12}$/, "must be the 12 digits of an AWS account")),
  region: z.string().check(
    z.regex(/^[a-z]{2}(-[a-z]+)+-\d$/, "must be an AWS region such as us-east-1"),
    // These are other AWS partitions, whose ARNs and S3 host names differ from those in the code.
    z.regex(/^(?!cn-|us-gov-|us-iso)/, "must not be a region of China or GovCloud"),
  ),
  /**
   * Whose ID tokens are accepted: any OpenID Connect provider. `"cognito"`: the stage makes a user pool (infra/sign-in/user-pool.ts), in which
   * everybody can sign up.
   */
  identityProvider: z.union([z.literal("cognito"), identityProvider]),
  /** Condition for becoming a developer: all of it must fit; by default everybody who can sign in. Who is one already stays one. */
  developers: z.optional(
    z.strictObject({
      /** Domains of email addresses that the provider has verified. */
      emailDomains: z.optional(
        z.array(domainName("example.com")).check(z.minLength(1, "must have a domain or be left out")),
      ),
      /** A claim of the ID token that has this value, or is a list with it: a group at the provider. */
      claim: z.optional(z.strictObject({ name: text, value: text })),
      /** Set: whoever asks waits until the operator approves their account (docs/operations/abuse.md#who-asks-to-become-a-developer). */
      approval: flag,
    }),
  ),
  /** Self-hosted issuers of CI jobs' identity tokens, exactly their `iss`, beside those of github.com and gitlab.com. */
  jobIssuers: z.optional(z.strictObject({ github: z.optional(jobIssuers), gitlab: z.optional(jobIssuers) })),
  /** The origins whose pages may upload files from a browser, none by default; the API itself is open to every origin (infra/api/api.ts). */
  webOrigins: z._default(z.array(origin), []),
  /** The API's own host name; without it the API has the URL that API Gateway gives. */
  domain: z.optional(
    z.strictObject({
      name: domainName("api.example.com"),
      /** As that of `gamesDomain`, in the stage's region. */
      certificateArn: z.optional(certificateArn),
    }),
  ),
  /**
   * Public hosted zones of the account by their domains, `{ "example.com": "Z0123456789ABCDEFGHIJ" }`: for host names in them the stage makes the DNS records, and
   * the certificates that have no `certificateArn`. A record that is there already makes the deployment fail.
   */
  hostedZones: z.optional(z.record(domainName("example.com"), hostedZoneId)),
  /**
   * Set: Route 53 asks the API, and a game if there is a games domain, from outside for the smoke test's project
   * (docs/decisions/0068-a-copy-outside.md#checks-from-outside). It costs $2.50 a month for each.
   */
  healthChecks: flag,
  /** Domain of games: every project has its own host name below it (docs/operations/games.md). Without it the API has no URL to play at. */
  gamesDomain: z.optional(gamesDomain),
  /**
   * URL for reports about games: https or mailto, in which `{slug}` stands for the game's slug. The game host's pages link to it and the
   * API has it as `report_url`; without it neither does.
   */
  reportUrl: z.optional(
    z.string().check((context) => {
      const problem = reportUrlProblem(context.value);
      if (problem !== undefined) context.issues.push({ code: "custom", message: problem, input: context.value });
    }),
  ),
  /** Operator of the stage, with the URLs of its pages about itself: the dashboard's footer. Without it there is no footer. */
  operator: z.optional(
    z.strictObject({
      name: z.string().check(z.minLength(1), z.maxLength(80)),
      terms: z.optional(pageUrl),
      privacy: z.optional(pageUrl),
      status: z.optional(pageUrl),
      contact: z.optional(pageUrl),
    }),
  ),
  /**
   * The page for accounts, tokens and projects, on which people approve command lines (docs/operations/dashboard.md). Every stage has it, at
   * CloudFront's own host name if it has no `domain`, but one whose people sign in with Firebase without `firebase`. `false`: svc login asks for a
   * token.
   */
  dashboard: z.optional(z.union([z.literal(false), dashboard], "must be false or the settings of the dashboard")),
  /** Receives an email when an alarm begins and when it is over. */
  alarmEmail: z.email("must be an email address"),
  /** 50 by default. When 80 % of it is spent, and when the month is likely to pass it, AWS sends an email to `alarmEmail`. */
  monthlyBudgetDollars: z._default(
    z.number("must be a number of dollars").check(z.minimum(1, "must be at least 1")),
    50,
  ),
  /** Days for which logs are kept, 30 by default; those with the addresses of people for 30 at most. */
  logRetentionDays: z._default(z.literal(logRetentionDays, `must be one of ${logRetentionDays.join(", ")}`), 30),
  /**
   * The longest lifetime of a new token in days, 365 by default: of tokens that are created or replaced, and of approved command lines. Older tokens go on working
   * until they expire; the dashboard marks those that have longer to live. A short one makes a stolen token useless sooner, and CI with a stored token fail sooner.
   */
  maxTokenDays: z.optional(
    atLeastOne.check(z.maximum(limits.tokenLifetimeDays, `must be at most ${limits.tokenLifetimeDays}`)),
  ),
  /** Number of each project's releases that are kept, those that were live last; 20 by default. Older ones are deleted. */
  keptReleases: z.optional(atLeastOne),
  /** Days for which all that were live are kept, no fewer than `backupDays`; 90 by default. */
  keptReleaseDays: z.optional(atLeastOne),
  /** Quota of stored bytes and objects; docs/cli.md has the defaults. A MiB is 1,048,576 bytes. */
  quota: z.optional(
    z.strictObject({
      projectMebibytes: z.optional(atLeastOne),
      projectObjects: z.optional(atLeastOne),
      /** Limits for all projects of an account together. */
      accountMebibytes: z.optional(atLeastOne),
      accountObjects: z.optional(atLeastOne),
    }),
  ),
  /** Days back to which the table can be restored, to any second; 35 by default, and at most. */
  backupDays: z._default(atLeastOne.check(z.maximum(35, "must be at most 35")), 35),
  /** After a restore: the stage's table from then on. The table that the stack made is kept, outside the stack (docs/operations/repairing.md). */
  restoredTable: z.optional(
    z.string().check(z.regex(/^[\w.-]{3,255}$/, "must be the name of a table in the stage's account and region")),
  ),
  /**
   * The account's quota of concurrent executions, as `aws lambda get-account-settings` says; 10 by default, which a new account has. From 200 on, infra/api/throttling.ts reserves
   * some of them. A value above the quota makes the deployment fail. Stages that share account and region share the quota: all but one
   * enter less of it, and a synth refuses what together reserves too much.
   */
  concurrentExecutions: z._default(z.int("must be a whole number").check(z.minimum(10, "must be at least 10")), 10),
  /** Rate that all routes of the API together let through, 1,000 by default; infra/api/throttling.ts has each route's share. */
  requestsPerSecond: z._default(
    z
      .int("must be a whole number")
      .check(z.minimum(10, "must be at least 10"), z.maximum(10_000, "must be at most 10000, API Gateway's own quota")),
    1_000,
  ),
  /**
   * Whether X-Ray traces calls of functions, false by default. Lambda traces one a second of each function and 5 % of more, and takes no other rate: below a call
   * a second traces cost three times what the API does (docs/decisions/0077-objectives.md).
   */
  tracing: z._default(z.boolean("must be true or false"), false),
  /**
   * The GitHub repository whose workflow may deploy this stage, if one does, as it stands in the subject of GitHub's identity tokens:
   * `owner@id/name@id`, or `owner/name` if it is older than 15 July 2026 and has not been renamed since
   * (https://docs.github.com/en/actions/reference/openid-connect-reference#immutable-subject-claims).
   */
  repository: z.optional(
    z
      .string()
      .check(
        z.regex(
          /^(?:[\w.-]+@\d+\/[\w.-]+@\d+|[\w.-]+\/[\w.-]+)$/,
          "must be a GitHub repository such as owner@1234567/name@89012345",
        ),
      ),
  ),
  /** Set: table, empty buckets and logs are deleted with the stack. For a stage that exists for a trial. */
  disposable: flag,
};

/** Settings of a stage, as its configuration has them: those of the core, and those of the options that the program was given. */
export function stageSettings() {
  return z.strictObject({ ...coreSettings, ...optionSettings() });
}

type StageSettings = ReturnType<typeof stageSettings>;
export type StageInput = z.input<StageSettings>;
type Settings = z.output<StageSettings>;
export type Stage = Omit<Settings, "dashboard"> & {
  readonly name: string;
  readonly dashboard?: false | Dashboard | undefined;
};

/** The dashboard of a stage; undefined: it has none. */
export function dashboardOf({
  dashboard: set,
  identityProvider: provider,
}: Pick<Stage, "dashboard" | "identityProvider">): Dashboard | undefined {
  if (set !== undefined) return set || undefined;
  // Firebase's page needs values that no document of the provider has.
  const isFirebase = provider !== "cognito" && provider.issuer.startsWith("https://securetoken.google.com/");
  return isFirebase ? undefined : {};
}

/** The origin of a stage's dashboard; undefined: it has none, or its stack has not made it. */
export function dashboardOriginOf(stage: Pick<Stage, "dashboard" | "identityProvider">): string | undefined {
  const { domain, origin: made } = dashboardOf(stage) ?? {};
  return domain ? `https://${domain.name}` : made;
}

/** Where a stage serves the command line's package; undefined: it has no dashboard. */
export function commandLineOf(stage: Parameters<typeof dashboardOriginOf>[0]): string | undefined {
  const origin = dashboardOriginOf(stage);
  return origin && `${origin}${packagePath}`;
}

/** Ends of the names of stacks that a stage has beside its own: ending the one stage would end the other. */
const endOfOtherStacks = /-(alarms|certificates|games-log|games-[0-9a-f]{8}|monitoring|pipeline)$/;

/**
 * The configuration of the stage that `-c stage=…` named.
 *
 * @param file where the stages stand, as it is named in sentences
 * @throws ConfigurationError one sentence that names the stage, each place and what must stand there
 */
export function readStage(name: unknown, stages: Readonly<Record<string, unknown>>, file = "infra/stages.ts"): Stage {
  const names = Object.keys(stages).join(", ");
  if (typeof name !== "string" || name === "")
    throw new ConfigurationError(`Say which stage: -c stage=NAME, where NAME is one of ${names}.`);
  if (!Object.hasOwn(stages, name)) throw new ConfigurationError(`${file} has no stage "${name}"; it has ${names}.`);
  if (!/^[a-z][a-z0-9-]{0,19}$/.test(name) || name === "local")
    throw new ConfigurationError(
      `"${name}" in ${file} cannot be a stage's name: up to 20 of a-z, 0-9 and -, beginning with a letter, not "local".`,
    );
  if (endOfOtherStacks.test(name))
    throw new ConfigurationError(
      `"${name}" in ${file} cannot be a stage's name: the stack svc-${name} would be one of the stage "${name.replace(endOfOtherStacks, "")}".`,
    );
  const schema = stageSettings();
  const result = schema.safeParse(stages[name], { reportInput: true });
  if (!result.success)
    throw new ConfigurationError(
      `Stage "${name}" in ${file}: ${result.error.issues.flatMap(leaves).map(sentence).join("; ")}.`,
    );
  const others = Object.keys(stages).filter((other) => other !== name);
  const configured = others.flatMap((other) => schema.safeParse(stages[other]).data ?? []);
  refuseMismatch(`Stage "${name}" in ${file}`, result.data, configured);
  return { ...result.data, name };
}

/** An issue, or those of the last form that a setting can have: the object, if it can be a word too. */
function leaves(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== "invalid_union") return [issue];
  return (issue.errors.at(-1) ?? []).map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
}

function sentence(issue: z.core.$ZodIssue): string {
  const place = issue.path.join(".");
  if (issue.code === "unrecognized_keys")
    return `${issue.keys.map((key) => [...issue.path, key].join(".")).join(", ")} is not a setting of a stage`;
  if (issue.input === undefined && issue.code === "invalid_type") return `${place} is missing`;
  return `${place} ${issue.message}`;
}

/** @throws Error for a user pool that the stack has not made yet */
export function providerOf({ identityProvider: provider }: Stage): IdentityProvider {
  if (provider === "cognito") throw new Error("The stage's user pool is not made yet.");
  return provider;
}

/** Days for which a log with the addresses of people is kept: at most 30, however long the others are. */
export function addressLogDays({ logRetentionDays }: Stage): Stage["logRetentionDays"] {
  return logRetentionDays < 30 ? logRetentionDays : 30;
}

/** Mismatches that only a deployment would refuse: another account's or region's certificate, contradictory settings. */
function refuseMismatch(place: string, settings: Settings, others: readonly Settings[]): void {
  const { domain, gamesDomain, account, region, backupDays, keptReleaseDays } = settings;
  const dashboard = settings.dashboard || undefined;
  const refuse = (sentence: string) => {
    throw new ConfigurationError(`${place}: ${sentence}.`);
  };
  const certificates = [
    ["domain.certificateArn", domain?.certificateArn, region],
    ["dashboard.domain.certificateArn", dashboard?.domain?.certificateArn, edgeRegion],
    ["gamesDomain.certificateArn", gamesDomain?.certificateArn, edgeRegion],
  ] as const;
  for (const [setting, arn, where] of certificates)
    if (arn !== undefined && !isKnownLater(arn) && !isCertificateOf(account, where, arn))
      refuse(`${setting} must be a certificate of account ${account} in ${where}`);
  const names = [domain, dashboard?.domain].flatMap((named) => named?.name ?? []);
  for (const [setting, host] of [
    ["domain", domain],
    ["dashboard.domain", dashboard?.domain],
    ["gamesDomain", gamesDomain],
  ] as const)
    if (host !== undefined && host.certificateArn === undefined && hostedZoneOf(settings, host.name) === undefined)
      refuse(`${setting} needs certificateArn, or a zone in hostedZones with ${host.name}`);
  if (gamesDomain) gamesDomainProblems(gamesDomain, names).forEach(refuse);
  if (gamesDomain && originShieldRegion(region) === undefined)
    refuse(
      `${region} is near no region of Origin Shield that infra/hosts/domains.ts knows: choose another region for a stage with games`,
    );
  if (settings.identityProvider === "cognito" && (dashboard?.firebase || dashboard?.clientId))
    refuse('dashboard.firebase and dashboard.clientId are of another provider than "cognito": leave them out');
  const { emailDomains, claim, approval } = settings.developers ?? { approval: true };
  if (!emailDomains && !claim && !approval)
    refuse("developers needs emailDomains, claim or approval: leave it out if everybody may become one");
  overbookingProblems(settings, others).forEach(refuse);
  if (settings.healthChecks && !domain) refuse("healthChecks needs domain, the name that is checked");
  optionProblems(settings).forEach(refuse);
  if (keptReleaseDays !== undefined && keptReleaseDays < backupDays)
    refuse(`keptReleaseDays must be at least backupDays, ${backupDays}: a restored table needs the files of its time`);
}
