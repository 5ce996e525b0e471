import { CfnOutput } from "aws-cdk-lib";
import type { Construct } from "constructs";

/** An output of a stack that has exactly this name, whichever construct of the stack makes it. */
export function addOutput(scope: Construct, name: string, value: string, description: string): void {
  new CfnOutput(scope, name, { value, description }).overrideLogicalId(name);
}
