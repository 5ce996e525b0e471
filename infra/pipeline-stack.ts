import { CfnOutput, Duration, Stack, Validations } from "aws-cdk-lib";
import { CfnOIDCProvider, PolicyStatement, Role, WebIdentityPrincipal } from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";
import type { Stage } from "./stage.ts";

const host = "token.actions.githubusercontent.com";
/** Of `cdk bootstrap`, unless it was told another. */
const qualifier = "hnb659fds";

/**
 * What the workflow may do in the stage's account, where it holds no key: GitHub vouches for each job with a token of a
 * few minutes. A person deploys this once, `cdk deploy -c stage=staging -c stack=pipeline`.
 */
export class PipelineStack extends Stack {
  constructor(scope: Construct, stage: Stage) {
    super(scope, `svc-${stage.name}-pipeline`, {
      env: { account: stage.account, region: stage.region },
      description: `What GitHub may do in the account of svc ${stage.name}`,
      terminationProtection: true,
    });
    const provider = stage.hasGitHubProvider
      ? `arn:aws:iam::${stage.account}:oidc-provider/${host}`
      : this.provider().attrArn;
    const role = (kind: string, subject: string, statement: PolicyStatement) => {
      const made = new Role(this, kind, {
        roleName: `svc-${stage.name}-${kind.toLowerCase()}`,
        maxSessionDuration: Duration.hours(1),
        assumedBy: new WebIdentityPrincipal(provider, {
          StringEquals: {
            [`${host}:aud`]: "sts.amazonaws.com",
            [`${host}:sub`]: `repo:${stage.repository}:${subject}`,
          },
        }),
      });
      made.addToPolicy(statement);
      new CfnOutput(this, `${kind}Role`, { value: made.roleArn });
    };
    // Only jobs of the environment of the stage's name: GitHub asks that environment's reviewers first.
    role(
      "Deploy",
      `environment:${stage.name}`,
      new PolicyStatement({ actions: ["sts:AssumeRole"], resources: cdkRoles(stage) }),
    );
    const stack = `arn:aws:cloudformation:${stage.region}:${stage.account}:stack/svc-${stage.name}/*`;
    // Whoever can push a branch decides what a pull request runs, so it may see the deployed template and nothing else.
    role(
      "Diff",
      "pull_request",
      new PolicyStatement({
        actions: ["cloudformation:DescribeStacks", "cloudformation:GetTemplate"],
        resources: [stack],
      }),
    );
    Validations.of(this).acknowledge({
      id: `AwsSolutions-IAM5[Resource::${stack}]`,
      reason: "A stack's ARN ends with an id that is known only once it exists; the name before it is exact.",
    });
  }

  private provider(): CfnOIDCProvider {
    return new CfnOIDCProvider(this, "GitHub", { url: `https://${host}`, clientIdList: ["sts.amazonaws.com"] });
  }
}

/** The bootstrap's roles that a deployment needs; what CloudFormation may then do is the bootstrap's decision. */
function cdkRoles({ account, region }: Stage): string[] {
  return ["deploy", "file-publishing", "lookup"].map(
    (name) => `arn:aws:iam::${account}:role/cdk-${qualifier}-${name}-role-${account}-${region}`,
  );
}
