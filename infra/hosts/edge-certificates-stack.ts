import { Fn, Reference, Stack, Token, Tokenization } from "aws-cdk-lib";
import { Construct } from "constructs";
import { ConfigurationError, dashboardOf, type Stage } from "../settings/stage.ts";
import { addOutput } from "../stacks/output.ts";
import { EdgeStack } from "../stacks/sibling-stack.ts";
import { edgeRegion, hostedZoneOf } from "./domains.ts";
import { makeCertificate, withCertificates } from "./host-names.ts";

/** Whether a stage needs {@link EdgeCertificatesStack}; in us-east-1 its own stack has all certificates. */
export function needsEdgeCertificates(stage: Stage): boolean {
  const hosts = [dashboardOf(stage)?.domain, stage.gamesDomain];
  return stage.region !== edgeRegion && hosts.some((host) => host !== undefined && host.certificateArn === undefined);
}

/**
 * The certificates of a stage in another region for its names at CloudFront, which reads certificates in us-east-1 alone. It is deployed before the
 * stage's own stack.
 */
export class EdgeCertificatesStack extends EdgeStack {
  /** The stage with these certificates, as if they were configured. */
  readonly stage: Stage;

  /** @throws ConfigurationError for a hosted zone of the service's own stack, which would have to be deployed before this one */
  constructor(service: Stack, stage: Stage) {
    super(service, "certificates", `certificates of ${stage.name} for CloudFront`);
    const { domain, ...atEdge } = stage;
    const certified = withCertificates(atEdge, (id, host, covered) => {
      refuseZoneOf(service, stage, host.name);
      const output = `${id}Certificate`;
      const arn = makeCertificate(new Construct(this, id), stage, host, covered);
      addOutput(this, output, arn, `The certificate of ${covered}`);
      return Fn.getStackOutput(this.stackName, output, edgeRegion);
    });
    this.stage = { ...certified, ...(domain && { domain }) };
  }
}

function refuseZoneOf(service: Stack, stage: Stage, name: string): void {
  const { zoneName, hostedZoneId = "" } = hostedZoneOf(stage, name) ?? {};
  if (!Token.isUnresolved(hostedZoneId)) return;
  const { firstToken: id } = Tokenization.reverseString(hostedZoneId);
  if (Reference.isReference(id) && Stack.of(id.target) === service)
    throw new ConfigurationError(
      `The zone ${zoneName} must be in a stack of its own: the certificate of ${name} is made in ${edgeRegion} before the stack ${service.node.path}, and needs the zone.`,
    );
}
