import { Stack, Token } from "aws-cdk-lib";
import type { ICertificate } from "aws-cdk-lib/aws-certificatemanager";
import type { IUserPool, IUserPoolClient } from "aws-cdk-lib/aws-cognito";
import type { IHostedZone } from "aws-cdk-lib/aws-route53";
import type { IConstruct } from "constructs";
import { edgeRegion } from "../hosts/domains.ts";
import { ConfigurationError, type GamesDomain, type StageInput } from "./stage.ts";

/** A host name with a certificate that is made or imported in the app, in place of its ARN. */
interface CertifiedHost {
  readonly name: string;
  /** In the stack's region for the API, in us-east-1 for dashboard and games; that of games is for all names below the domain. */
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
  extends Omit<
    StageInput,
    "account" | "region" | "identityProvider" | "domain" | "dashboard" | "gamesDomain" | "hostedZones"
  > {
  readonly identityProvider: StageInput["identityProvider"] | UserPoolProvider;
  readonly domain?: StageInput["domain"] | CertifiedHost;
  readonly gamesDomain?: StageInput["gamesDomain"] | (CertifiedHost & Pick<GamesDomain, "isPublicSuffix">);
  readonly hostedZones?: StageInput["hostedZones"] | readonly IHostedZone[];
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
  { identityProvider, domain, dashboard, gamesDomain, hostedZones, ...settings }: ConstructSettings,
): Omit<StageInput, "account" | "region"> {
  const { region } = Stack.of(scope);
  return {
    ...settings,
    identityProvider:
      "userPool" in Object(identityProvider)
        ? providerOf(identityProvider as UserPoolProvider)
        : (identityProvider as StageInput["identityProvider"]),
    ...(hostedZones && { hostedZones: isList(hostedZones) ? byName(hostedZones) : hostedZones }),
    ...(domain && { domain: hostOf("domain", domain, region) }),
    ...(gamesDomain && { gamesDomain: hostOf("gamesDomain", gamesDomain, edgeRegion) }),
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

function isList(zones: NonNullable<ConstructSettings["hostedZones"]>): zones is readonly IHostedZone[] {
  return Array.isArray(zones);
}

function byName(zones: readonly IHostedZone[]): Record<string, string> {
  return Object.fromEntries(zones.map(({ zoneName, hostedZoneId }) => [zoneName, hostedZoneId]));
}

function hostOf<Host extends { readonly name: string }>(setting: string, host: Host | CertifiedHost, region: string) {
  if (!("certificate" in host)) return host;
  const { certificate, ...named } = host;
  const { certificateArn, env } = certificate;
  // The environment of an imported certificate is that of the stack that imports it.
  const place = Token.isUnresolved(certificateArn) ? env.region : certificateArn.split(":")[3];
  if (place !== region)
    throw new ConfigurationError(`${setting}.certificate must be in ${region}, and is in ${place}.`);
  return { ...named, certificateArn };
}
