import { Stack } from "aws-cdk-lib";
import type { ICertificate } from "aws-cdk-lib/aws-certificatemanager";
import type { IUserPool, IUserPoolClient } from "aws-cdk-lib/aws-cognito";
import type { IConstruct } from "constructs";
import { edgeRegion } from "../hosts/domains.ts";
import { ConfigurationError, type StageInput } from "./stage.ts";

/** A host name with a certificate that is made or imported in the app, in place of its ARN. */
interface CertifiedHost {
  readonly name: string;
  /** In the stack's region for the API, in us-east-1 for the dashboard. */
  readonly certificate: ICertificate;
}

/** A user pool that is made or imported in the app, with the public client for which its ID tokens are issued. */
interface UserPoolProvider {
  readonly userPool: IUserPool;
  readonly client: IUserPoolClient;
}

type StageDashboard = Exclude<NonNullable<StageInput["dashboard"]>, false>;

/** Settings of a stage, in which constructs of the app may stand for what names them. */
export interface ConstructSettings
  extends Omit<StageInput, "account" | "region" | "identityProvider" | "domain" | "dashboard"> {
  readonly identityProvider: StageInput["identityProvider"] | UserPoolProvider;
  readonly domain?: StageInput["domain"] | CertifiedHost;
  readonly dashboard?:
    | false
    | undefined
    | (Omit<StageDashboard, "domain"> & { readonly domain?: StageDashboard["domain"] | CertifiedHost });
}

/**
 * The settings with names and ARNs in place of constructs, which are known when the stack is deployed.
 *
 * @throws ConfigurationError for a certificate of a region in which it cannot be used
 */
export function settingsOf(
  scope: IConstruct,
  { identityProvider, domain, dashboard, ...settings }: ConstructSettings,
): Omit<StageInput, "account" | "region"> {
  const { region } = Stack.of(scope);
  return {
    ...settings,
    identityProvider:
      "userPool" in Object(identityProvider)
        ? providerOf(identityProvider as UserPoolProvider)
        : (identityProvider as StageInput["identityProvider"]),
    ...(domain && { domain: hostOf("domain", domain, region) }),
    ...(dashboard !== undefined && {
      dashboard: dashboard && {
        ...dashboard,
        domain: dashboard.domain && hostOf("dashboard.domain", dashboard.domain, edgeRegion),
      },
    }),
  };
}

function providerOf({ userPool, client }: UserPoolProvider) {
  const issuer = `https://cognito-idp.${userPool.env.region}.amazonaws.com/${userPool.userPoolId}`;
  return { issuer, audience: client.userPoolClientId, jwksUri: `${issuer}/.well-known/jwks.json` };
}

function hostOf(setting: string, host: NonNullable<StageInput["domain"]> | CertifiedHost, region: string) {
  if (!("certificate" in host)) return host;
  const { name, certificate } = host;
  if (certificate.env.region !== region)
    throw new ConfigurationError(`${setting}.certificate must be in ${region}, and is in ${certificate.env.region}.`);
  return { name, certificateArn: certificate.certificateArn };
}
