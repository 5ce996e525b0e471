import type { Route } from "../../contract/api/route.ts";
import { type RouteName, routes } from "../../contract/api/routes.ts";
import { access } from "../../functions/access.ts";
import type { Setting } from "../../functions/permissions.ts";
import type { OptionSetting } from "../../options/access.ts";
import { leftOutOptions, optionVariables } from "../../options/stage.ts";
import { dashboardOriginOf, providerOf, type Stage } from "../settings/stage.ts";

type StageSetting = Setting | OptionSetting | "identityProvider";
type Variables = Readonly<Record<string, string | number | undefined>>;

const mebibyte = 1_024 ** 2;

/** The variables of each setting; undefined: the stage says nothing, and the function's own default holds. */
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
    };
  },
  apiOrigin: ({ domain }) => ({ API_ORIGIN: domain && `https://${domain.name}` }),
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
  ...optionVariables,
};

/** Settings of a route's function: those of functions/access.ts, and the provider and the API's origin if it authenticates. */
export function settingsOf(route: RouteName): StageSetting[] {
  const { settings = [] } = access[route];
  const { credential } = routes[route] as Route;
  const isOpen = credential === "none" || credential === "grant";
  return isOpen ? [...settings] : ["identityProvider", "apiOrigin", ...settings];
}

/** The environment of a function that is told these settings of its stage. */
export function environmentOf(stage: Stage, settings: readonly StageSetting[]): Record<string, string> {
  const told: Variables = Object.assign({}, ...settings.map((setting) => variables[setting](stage)));
  const set = Object.entries(told).filter(([, value]) => value !== undefined && value !== "");
  return { ...stageVariables(stage), ...Object.fromEntries(set.map(([name, value]) => [name, String(value)])) };
}

/** The variables of every function: the stage's name, and the options that it leaves out. */
export function stageVariables(stage: Stage): Record<string, string> {
  const leftOut = leftOutOptions(stage);
  return { SVC_STAGE: stage.name, ...(leftOut.length > 0 && { LEFT_OUT_OPTIONS: leftOut.join(",") }) };
}
