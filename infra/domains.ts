import { getDomain, getPublicSuffix } from "tldts";

/** Where Lambda@Edge, CloudFront's certificates and its metrics are. */
export const edgeRegion = "us-east-1";

/** Whether no domain is another one or below it: a wildcard below one of them would have the other as a game. */
export function areApart(domains: readonly { readonly name: string }[]): boolean {
  return domains.every(
    ({ name }, index) => !domains.some((other, at) => at !== index && `.${name}`.endsWith(`.${other.name}`)),
  );
}

/** A domain at which games are. */
interface GamesPlace {
  readonly name: string;
  readonly isPublicSuffix?: true | undefined;
}

/**
 * What is wrong with where games are: pages of games could set cookies for one of these names (RFC 6265, section 5.3), or a domain
 * is said to be a public suffix that the list of the installed `tldts` does not have. That list is newer than those of browsers.
 */
export function gamesDomainProblems(games: readonly GamesPlace[], names: readonly string[]): string[] {
  return games.flatMap(({ name, isPublicSuffix }) => [
    ...names
      .filter((other) => !areApart([{ name }, { name: other }]) || shareRegisteredDomain(name, other))
      .map((other) => `${other} and the games domain ${name} must not share a domain above: games set cookies there`),
    ...(isPublicSuffix && getPublicSuffix(name, wholeList) !== name
      ? [
          `${name} is not in the Public Suffix List of the installed tldts. Leave out isPublicSuffix, or run npm update tldts`,
        ]
      : []),
  ]);
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
