import { PERMISSIONS_BOUNDARY_CONTEXT_KEY, PermissionsBoundary, Stack, Stage } from "aws-cdk-lib";
import { DEFAULT_CROSS_STACK_REFERENCES } from "aws-cdk-lib/cx-api";
import { edgeRegion } from "../hosts/domains.ts";
import { ConfigurationError } from "../settings/stage.ts";

interface SiblingStackProps {
  /** End of its name, which begins with that of the service's stack. */
  readonly suffix: string;
  readonly region: string;
  readonly description: string;
}

/**
 * A stack beside the stack of a service. Account, protection and permissions boundary are the same. What it needs of other stacks it reads
 * when it is deployed, without exports that would lock them.
 */
export class SiblingStack extends Stack {
  constructor(service: Stack, { suffix, region, description }: SiblingStackProps) {
    const stackName = `${service.stackName}-${suffix}`;
    super(Stage.of(service), stackName, {
      stackName,
      env: { account: service.account, region },
      description: `svc, the publishing service: ${description}`,
      terminationProtection: service.terminationProtection,
      ...boundaryOf(service),
    });
    this.node.setContext(DEFAULT_CROSS_STACK_REFERENCES, "weak");
  }
}

/** A sibling in us-east-1, with what CloudFront takes there alone. */
export class EdgeStack extends SiblingStack {
  /** @throws ConfigurationError if the service is in a nested stack, whose name and outputs are known only to CloudFormation */
  constructor(service: Stack, suffix: string, description: string) {
    if (service.nested)
      throw new ConfigurationError(
        `${service.node.path}: names at CloudFront need stacks in ${edgeRegion} that read outputs of this one, which a nested stack does not have. Put Svc into a stack of the app.`,
      );
    super(service, { suffix, region: edgeRegion, description });
  }
}

function boundaryOf(service: Stack): { readonly permissionsBoundary?: PermissionsBoundary } {
  const { name, arn } = service.node.tryGetContext(PERMISSIONS_BOUNDARY_CONTEXT_KEY) ?? {};
  if (name !== undefined) return { permissionsBoundary: PermissionsBoundary.fromName(name) };
  return arn === undefined ? {} : { permissionsBoundary: PermissionsBoundary.fromArn(arn) };
}
