import type { Route } from "../../contract/api/route.ts";
import { type RouteName, routes } from "../../contract/api/routes.ts";
import type { Setting } from "../../functions/permissions.ts";
import { commandLineOf, dashboardOriginOf, providerOf, type Stage } from "../settings/stage.ts";
import {
  accessOf,
  leftOutOptions,
  optionEnvironment,
  optionVariables,
  type Variables,
} from "../settings/stage-option.ts";

type StageSetting = Setting | "identityProvider";

const mebibyte = 1_024 ** 2;

/** The variables of each setting. */
const variables: Record<StageSetting, (stage: Stage) => Variables> = {
  identityProvider: (stage) => {
    const provider = providerOf(stage);
    return {
      IDP_ISSUER: provider.issuer,
      IDP_AUDIENCE: provider.audience,
      IDP_JWKS_URI: provider.jwksUri,
      IDP_TRUSTED_AUDIENCES: provider.trustedAudiences?.join(","),
      IDP_AUTHORIZED_PARTIES: provider.authorizedParties?.join(","),
      IDP_TENANT: provider.tenant,
      IDP_TOKEN_LIFETIME_HOURS: provider.tokenLifetimeHours,
      IDP_SIGN_IN_MINUTES: provider.signInMinutes,
      IDP_ACR_VALUES: provider.acrValues?.join(","),
    };
  },
  apiOrigin: ({ domain }) => ({ API_ORIGIN: domain && `https://${domain.name}` }),
  commandLine: (stage) => ({ COMMAND_LINE_URL: commandLineOf(stage) }),
  jobIssuers: ({ jobIssuers: { github = [], gitlab = [] } = {} }) => ({
    JOB_ISSUERS: [...github.map((issuer) => `github=${issuer}`), ...gitlab.map((issuer) => `gitlab=${issuer}`)].join(
      ",",
    ),
  }),
  issuer: (stage) => ({ IDP_ISSUER: providerOf(stage).issuer }),
  developers: ({ developers: { emailDomains, claim, approval } = {} }) => ({
    DEVELOPER_EMAIL_DOMAINS: emailDomains?.join(","),
    DEVELOPER_CLAIM: claim?.name,
    DEVELOPER_CLAIM_VALUE: claim?.value,
    DEVELOPER_APPROVAL: approval && 1,
  }),
  gamesDomain: ({ gamesDomain }) => ({ GAMES_DOMAIN: gamesDomain?.name }),
  gamesEdgeDomain: ({ gamesDomain }) => ({ GAMES_EDGE_DOMAIN: gamesDomain?.name }),
  maxTokenDays: ({ maxTokenDays }) => ({ MAX_TOKEN_DAYS: maxTokenDays }),
  reportUrl: ({ reportUrl }) => ({ REPORT_URL: reportUrl }),
  dashboardOrigin: (stage) => ({ DASHBOARD_ORIGIN: dashboardOriginOf(stage) }),
  projectQuota: ({ quota: { projectMebibytes, projectObjects } = {} }) => ({
    BYTES_PER_PROJECT: projectMebibytes && projectMebibytes * mebibyte,
    OBJECTS_PER_PROJECT: projectObjects,
  }),
  accountQuota: ({ quota: { accountMebibytes, accountObjects } = {} }) => ({
    BYTES_PER_ACCOUNT: accountMebibytes && accountMebibytes * mebibyte,
    OBJECTS_PER_ACCOUNT: accountObjects,
  }),
};

/** @throws Error for a setting that no option has */
function variablesOf(setting: string, stage: Stage): Variables {
  const variablesOfStage = Object.hasOwn(variables, setting)
    ? variables[setting as StageSetting]
    : optionVariables(setting);
  if (variablesOfStage === undefined)
    throw new Error(`No option has the setting ${setting}, which a function wants to be told.`);
  return variablesOfStage(stage);
}

/** Settings of a route's function: those that its access names, and the provider and the API's origin if it authenticates. */
export function settingsOf(route: RouteName): string[] {
  const { settings = [] } = accessOf(route);
  const { credential } = routes[route] as Route;
  const isOpen = credential === "none" || credential === "grant";
  return isOpen ? [...settings] : ["identityProvider", "apiOrigin", ...settings];
}

/** The environment of a function that is told these settings of its stage. */
export function environmentOf(stage: Stage, settings: readonly string[]): Record<string, string> {
  const told: Variables = Object.assign({}, ...settings.map((setting) => variablesOf(setting, stage)));
  const set = Object.entries(told).filter(([, value]) => value !== undefined && value !== "");
  return { ...stageVariables(stage), ...Object.fromEntries(set.map(([name, value]) => [name, String(value)])) };
}

/** The variables of every function: the stage's name, the options that it leaves out, and what the others tell. */
export function stageVariables(stage: Stage): Record<string, string> {
  const leftOut = leftOutOptions(stage);
  return {
    SVC_STAGE: stage.name,
    ...(leftOut.length > 0 && { LEFT_OUT_OPTIONS: leftOut.join(",") }),
    ...optionEnvironment(stage),
  };
}
