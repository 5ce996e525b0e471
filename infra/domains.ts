import { getDomain, getPublicSuffix } from "tldts";

/** Where Lambda@Edge, CloudFront's certificates and its metrics are. */
export const edgeRegion = "us-east-1";

/** A domain at which games are. */
interface GamesPlace {
  readonly name: string;
  readonly isPublicSuffix?: true | undefined;
}

/**
 * What is wrong with where games are: pages of games could set cookies for one of these names (RFC 6265, section 5.3), or a domain
 * is said to be a public suffix that the list of the installed `tldts` does not have. That list is newer than those of browsers.
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

/** The private section too, where those are who give each person a domain below theirs. */
const wholeList = { allowPrivateDomains: true };

function shareRegisteredDomain(name: string, other: string): boolean {
  const registered = getDomain(name, wholeList);
  return registered !== null && registered === getDomain(other, wholeList);
}

/** Whether it is the ARN of a certificate of this account and region. CloudFormation would refuse any other one at the deployment. */
export function isCertificateOf(account: string, region: string, arn: string): boolean {
  return new RegExp(`^arn:aws:acm:${region}:${account}:certificate/[0-9a-f-]+$`).test(arn);
}
