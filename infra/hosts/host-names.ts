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
import type { Stage } from "../settings/stage.ts";
import { hostedZoneOf } from "./domains.ts";

/** A host name, or a domain whose hosts are all below it. */
interface HostName {
  readonly name: string;
  readonly certificateArn?: string | undefined;
}

/**
 * The certificate of a host name: the configured one, or one that the stack makes. CloudFormation enters its record in the hosted zone, by which
 * Certificate Manager renews it.
 *
 * @param covered what it is for, if that is not the name: `*.games.example.net`
 */
export function certificateOf(
  scope: Construct,
  stage: Stage,
  { name, certificateArn }: HostName,
  covered = name,
): ICertificate {
  if (certificateArn !== undefined) return Certificate.fromCertificateArn(scope, "Certificate", certificateArn);
  return new Certificate(scope, "Certificate", {
    domainName: covered,
    validation: CertificateValidation.fromDns(zoneFor(scope, stage, name)),
  });
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
