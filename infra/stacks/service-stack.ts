import { CfnOutput, PermissionsBoundary, Stack } from "aws-cdk-lib";
import type { Construct } from "constructs";
import type { Assets } from "../packaging/assets.ts";
import type { Stage } from "../settings/stage.ts";
import { Svc } from "../svc.ts";

export interface ServiceStackProps extends Assets {
  readonly stage: Stage;
}

/**
 * The stack of one stage, with those beside it. That of the pipeline is not among them, because `cdk deploy --all` must not touch
 * it.
 */
export class ServiceStack extends Stack {
  readonly otherStacks: Svc["otherStacks"];

  constructor(scope: Construct, { stage: { account, region, ...settings }, ...assets }: ServiceStackProps) {
    const { name, disposable } = settings;
    super(scope, `svc-${name}`, {
      env: { account, region },
      description: `svc, the publishing service: ${name}`,
      terminationProtection: disposable !== true,
      // infra/deployment/permissions-boundary.json: CloudFormation may create no role without it.
      permissionsBoundary: PermissionsBoundary.fromName("svc-boundary"),
    });
    // The CDK leaves this id out of logical ids, which are as old as the tables of stages.
    this.otherStacks = new Svc(this, "Default", { ...settings, assets }).otherStacks;
    const commit: unknown = this.node.tryGetContext("commit");
    if (commit !== undefined)
      new CfnOutput(this, "Commit", { value: String(commit), description: "No commit before it is deployed after it" });
  }
}
