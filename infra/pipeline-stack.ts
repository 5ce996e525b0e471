import { CfnOutput, Duration, Stack, Validations } from "aws-cdk-lib";
import { CfnOIDCProvider, type Conditions, PolicyStatement, Role, WebIdentityPrincipal } from "aws-cdk-lib/aws-iam";
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
    const stack = `arn:aws:cloudformation:${stage.region}:${stage.account}:stack/svc-${stage.name}/*`;
    const role = (kind: string, claims: Claims, statements: PolicyStatement[]) => {
      const made = new Role(this, kind, {
        roleName: `svc-${stage.name}-${kind.toLowerCase()}`,
        maxSessionDuration: Duration.hours(1),
        assumedBy: new WebIdentityPrincipal(provider, trustIn(stage.repository, claims)),
      });
      for (const statement of statements) made.addToPolicy(statement);
      new CfnOutput(this, `${kind}Role`, { value: made.roleArn });
    };
    // Only jobs of the environment of the stage's name: GitHub asks that environment's reviewers first.
    role("Deploy", { subject: `environment:${stage.name}`, ref: "refs/heads/main" }, [
      new PolicyStatement({ actions: ["sts:AssumeRole"], resources: cdkRoles(stage) }),
      new PolicyStatement({
        actions: ["cloudformation:DescribeStacks", "cloudformation:ExecuteChangeSet"],
        resources: [stack],
      }),
    ]);
    // Whoever can push a branch decides what a pull request runs, so it may see the deployed template and nothing else.
    role("Diff", { subject: "pull_request", ref: "refs/pull/*/merge" }, [
      new PolicyStatement({
        actions: ["cloudformation:DescribeStacks", "cloudformation:GetTemplate"],
        resources: [stack],
      }),
    ]);
    Validations.of(this).acknowledge({
      id: `AwsSolutions-IAM5[Resource::${stack}]`,
      reason: "A stack's ARN ends with an id that is known only once it exists; the name before it is exact.",
    });
  }

  private provider(): CfnOIDCProvider {
    return new CfnOIDCProvider(this, "GitHub", { url: `https://${host}`, clientIdList: ["sts.amazonaws.com"] });
  }
}

interface Claims {
  /** The end of `sub`. */
  readonly subject: string;
  /** The ref that the workflow runs for, and from which its file is: `*` stands for a number. */
  readonly ref: string;
}

/**
 * Which of GitHub's identity tokens may take a role: of this repository (by its id, which no renamed or newly registered
 * repository has), for this ref, and of this workflow file as it is there. AWS STS evaluates these claims since January 2026
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_iam-condition-keys.html).
 */
function trustIn(repository: string, { subject, ref }: Claims): Conditions {
  const [owner = "", name = ""] = repository.split("/").map((part) => part.split("@")[0]);
  const id = /@(\d+)$/.exec(repository)?.[1];
  return {
    StringEquals: {
      [`${host}:aud`]: "sts.amazonaws.com",
      [`${host}:sub`]: `repo:${repository}:${subject}`,
      ...(id !== undefined && { [`${host}:repository_id`]: id }),
    },
    StringLike: {
      [`${host}:ref`]: ref,
      [`${host}:job_workflow_ref`]: `${owner}/${name}/.github/workflows/deploy.yml@${ref}`,
    },
  };
}

/** The bootstrap's roles that a deployment needs. It looks nothing up, and CloudFormation has a role of its own. */
function cdkRoles({ account, region }: Stage): string[] {
  return ["deploy", "file-publishing"].map(
    (name) => `arn:aws:iam::${account}:role/cdk-${qualifier}-${name}-role-${account}-${region}`,
  );
}
