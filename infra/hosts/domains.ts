import { getDomain, getPublicSuffix } from "tldts";

/** Region of Lambda@Edge, and of CloudFront's certificates and metrics. */
export const edgeRegion = "us-east-1";

/** A domain at which games are. */
interface GamesPlace {
  readonly name: string;
  readonly isPublicSuffix?: true | undefined;
}

/**
 * Problems with where games are: pages of games could set cookies for one of these names (RFC 6265, section 5.3), or a
 * domain is said to be a public suffix that the list of the installed `tldts` does not have.
 * That list is newer than those of browsers.
 */
export function gamesDomainProblems({ name, isPublicSuffix }: GamesPlace, names: readonly string[]): string[] {
  const shared = names
    .filter((other) => isWithin(name, other) || isWithin(other, name) || shareRegisteredDomain(name, other))
    .map((other) => `${other} and the games domain ${name} must not share a domain above: games set cookies there`);
  const unlisted = isPublicSuffix && getPublicSuffix(name, wholeList) !== name;
  return unlisted
    ? [
        ...shared,
        `${name} is not in the Public Suffix List of the installed tldts. Leave out isPublicSuffix, or run npm update tldts`,
      ]
    : shared;
}

/** Whether a domain is another one or below it. */
function isWithin(name: string, other: string): boolean {
  return `.${name}`.endsWith(`.${other}`);
}

interface HostedZone {
  readonly zoneName: string;
  readonly hostedZoneId: string;
}

/** The stage's hosted zone with a host name: the one with the longest domain; undefined: its record is made by hand. */
export function hostedZoneOf(
  { hostedZones = {} }: { readonly hostedZones?: Readonly<Record<string, string>> | undefined },
  name: string,
): HostedZone | undefined {
  const zones = Object.entries(hostedZones).filter(([zoneName]) => isWithin(name, zoneName));
  const [longest] = zones.toSorted(([one], [other]) => other.length - one.length);
  return longest && { zoneName: longest[0], hostedZoneId: longest[1] };
}

/** The private section too, where those are who give each person a domain below theirs. */
const wholeList = { allowPrivateDomains: true };

function shareRegisteredDomain(name: string, other: string): boolean {
  const registered = getDomain(name, wholeList);
  return registered !== null && registered === getDomain(other, wholeList);
}

/** The regions of Origin Shield ("Using Amazon CloudFront Origin Shield", read November 2026). */
const shields = [
  ...["us-east-1", "us-east-2", "us-west-2", "ap-south-1", "ap-northeast-1", "ap-northeast-2", "ap-southeast-1"],
  ...["ap-southeast-2", "eu-central-1", "eu-west-1", "eu-west-2", "sa-east-1"],
];

/** Nearest of them for each other region (the same page). */
const shieldOf: Readonly<Record<string, string>> = {
  ...{ "us-west-1": "us-west-2", "af-south-1": "eu-west-1", "ap-east-1": "ap-southeast-1" },
  ...{ "ca-central-1": "us-east-1", "eu-south-1": "eu-central-1", "eu-west-3": "eu-west-2", "eu-north-1": "eu-west-2" },
  ...{ "me-south-1": "ap-south-1" },
};

/** The region of Origin Shield for a bucket; undefined if none is known, and CloudFront would refuse the distribution. */
export function originShieldRegion(region: string): string | undefined {
  return shields.includes(region) ? region : shieldOf[region];
}

/** Whether an ARN is of a certificate of this account and region. CloudFormation would refuse any other one at the deployment. */
export function isCertificateOf(account: string, region: string, arn: string): boolean {
  return new RegExp(`^arn:aws:acm:${region}:${account}:certificate/[0-9a-f-]+$`).test(arn);
}
