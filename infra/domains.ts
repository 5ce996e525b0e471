/** Where Lambda@Edge, CloudFront's certificates and its metrics are. */
export const edgeRegion = "us-east-1";

/** Whether no domain is another one or below it: a wildcard below one of them would have the other as a game. */
export function areApart(domains: readonly { readonly name: string }[]): boolean {
  return domains.every(
    ({ name }, index) => !domains.some((other, at) => at !== index && `.${name}`.endsWith(`.${other.name}`)),
  );
}

/** Whether it is the ARN of a certificate of this account and region. CloudFormation would refuse any other one at the deployment. */
export function isCertificateOf(account: string, region: string, arn: string): boolean {
  return new RegExp(`^arn:aws:acm:${region}:${account}:certificate/[0-9a-f-]+$`).test(arn);
}
