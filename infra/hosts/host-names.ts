import { Certificate, CertificateValidation, type ICertificate } from "aws-cdk-lib/aws-certificatemanager";
import {
  AaaaRecord,
  ARecord,
  HostedZone,
  type IAliasRecordTarget,
  type IHostedZone,
  RecordTarget,
} from "aws-cdk-lib/aws-route53";
import type { Construct } from "constructs";
import { dashboardOf, type Stage } from "../settings/stage.ts";
import { hostedZoneOf } from "./domains.ts";

/** A host name, or a domain whose hosts are all below it. */
interface HostName {
  readonly name: string;
  readonly certificateArn?: string | undefined;
}

/** Makes the certificate of a host name; `covered` is what it is for, if that is not the name. @returns its ARN */
export type CertificateMaker = (id: "Api" | "Dashboard" | "Games", host: HostName, covered: string) => string;

/** The stage with a certificate for each of its names, as if all were configured: `make` is asked for those that it lacks. A stage that lacks none stays the same object. */
export function withCertificates(stage: Stage, make: CertificateMaker): Stage {
  const { domain, gamesDomain } = stage;
  const dashboard = dashboardOf(stage);
  const hosts = [domain, dashboard?.domain, gamesDomain].filter((host) => host !== undefined);
  if (hosts.every(({ certificateArn }) => certificateArn !== undefined)) return stage;
  const certified = <Host extends HostName>(id: Parameters<CertificateMaker>[0], host: Host, covered = host.name) =>
    host.certificateArn === undefined ? { ...host, certificateArn: make(id, host, covered) } : host;
  return {
    ...stage,
    ...(domain && { domain: certified("Api", domain) }),
    ...(dashboard?.domain && { dashboard: { ...dashboard, domain: certified("Dashboard", dashboard.domain) } }),
    ...(gamesDomain && { gamesDomain: certified("Games", gamesDomain, `*.${gamesDomain.name}`) }),
  };
}

/**
 * Makes a certificate in the hosted zone that has the name. CloudFormation enters its record there, by which Certificate Manager renews it as long as
 * the record is there.
 *
 * @returns its ARN
 */
export function makeCertificate(scope: Construct, stage: Stage, { name }: HostName, covered: string): string {
  const validation = CertificateValidation.fromDns(zoneFor(scope, stage, name));
  return new Certificate(scope, "Certificate", { domainName: covered, validation }).certificateArn;
}

/** The certificate of a host name of {@link withCertificates}. */
export function certificateOf(scope: Construct, { name, certificateArn }: HostName): ICertificate {
  if (certificateArn === undefined)
    throw new Error(`${name} has no certificate: nobody has asked withCertificates for it.`);
  return Certificate.fromCertificateArn(scope, "Certificate", certificateArn);
}

/** Makes the records of a host, if a hosted zone of the stage has it; else a person makes one ({@link hostedZoneOf}). */
export function addRecords(
  scope: Construct,
  stage: Stage,
  { host, target, hasIpv6 }: { readonly host: string; readonly target: IAliasRecordTarget; readonly hasIpv6: boolean },
): void {
  if (hostedZoneOf(stage, host) === undefined) return;
  const record = { zone: zoneFor(scope, stage, host), recordName: `${host}.`, target: RecordTarget.fromAlias(target) };
  new ARecord(scope, "Ipv4Record", record);
  if (hasIpv6) new AaaaRecord(scope, "Ipv6Record", record);
}

function zoneFor(scope: Construct, stage: Stage, name: string): IHostedZone {
  const zone = hostedZoneOf(stage, name);
  if (zone === undefined) throw new Error(`No hosted zone has ${name}: infra/settings/stage.ts refuses it.`);
  return (
    (scope.node.tryFindChild("Zone") as IHostedZone | undefined) ??
    HostedZone.fromHostedZoneAttributes(scope, "Zone", zone)
  );
}
