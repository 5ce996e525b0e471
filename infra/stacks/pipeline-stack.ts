import { CfnOutput, Duration, type IStackSynthesizer, LegacyStackSynthesizer, Stack, Validations } from "aws-cdk-lib";
import { type Conditions, PolicyStatement, Role, WebIdentityPrincipal } from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";
import { edgeRegion } from "../hosts/domains.ts";
import { isWatchedAtEdge } from "../monitoring/games-alarms.ts";
import { monitoringSuffix } from "../monitoring/monitoring-names.ts";
import { ConfigurationError, type Stage } from "../settings/stage.ts";

const host = "token.actions.githubusercontent.com";
/** The default qualifier of `cdk bootstrap`. */
const qualifier = "hnb659fds";

/**
 * The workflow's roles in the stage's account. The workflow has no key: GitHub gives each job an identity token for a few
 * minutes. A person deploys this stack once, `cdk deploy -c stage=staging -c pipeline=true`.
 */
export class PipelineStack extends Stack {
  constructor(scope: Construct, stage: Stage) {
    super(scope, `svc-${stage.name}-pipeline`, {
      env: { account: stage.account, region: stage.region },
      description: `What GitHub may do in the account of svc ${stage.name}`,
      terminationProtection: true,
      // Deployed with the administrator's own credentials, and no file of a bucket that others write: CloudFormation's role may not
      // change these roles.
      synthesizer: new LegacyStackSynthesizer() as IStackSynthesizer,
    });
    const { repository } = stage;
    if (repository === undefined)
      throw new ConfigurationError(`Stage "${stage.name}" needs repository, whose workflow deploys it.`);
    // An account has one, whatever stages it has, so it is made by hand (docs/operations/deploying.md#by-the-pipeline).
    const provider = `arn:aws:iam::${stage.account}:oidc-provider/${host}`;
    const stack = `arn:aws:cloudformation:${stage.region}:${stage.account}:stack/svc-${stage.name}/*`;
    const role = (kind: string, claims: Claims, statements: PolicyStatement[]) => {
      const made = new Role(this, kind, {
        roleName: `svc-${stage.name}-${kind.toLowerCase()}`,
        maxSessionDuration: Duration.hours(1),
        assumedBy: new WebIdentityPrincipal(provider, trustIn(repository, claims)),
      });
      for (const statement of statements) made.addToPolicy(statement);
      new CfnOutput(this, `${kind}Role`, { value: made.roleArn });
    };
    // Only jobs of the environment of the stage's name: GitHub asks that environment's reviewers first.
    role("Deploy", { subject: `environment:${stage.name}`, ref: "refs/heads/main" }, [
      new PolicyStatement({ actions: ["sts:AssumeRole"], resources: cdkRoles(stage) }),
      new PolicyStatement({
        actions: [
          "cloudformation:DescribeChangeSet",
          "cloudformation:DescribeStacks",
          "cloudformation:ExecuteChangeSet",
        ],
        resources: [stack],
      }),
      // Their states, before anything is changed.
      new PolicyStatement({ actions: ["cloudformation:DescribeStacks"], resources: otherStacks(stage) }),
    ]);
    // Everybody who can push a branch decides what a pull request runs, so it may only read the deployed template.
    role("Diff", { subject: "pull_request", ref: "refs/pull/*/merge" }, [
      new PolicyStatement({
        actions: ["cloudformation:DescribeStacks", "cloudformation:GetTemplate"],
        resources: [stack],
      }),
    ]);
    Validations.of(this).acknowledge(
      ...[stack, ...otherStacks(stage)].map((resource) => ({
        id: `AwsSolutions-IAM5[Resource::${resource}]`,
        reason: "A stack's ARN ends with an id that is known only once it exists; the name before it is exact.",
      })),
    );
  }
}

interface Claims {
  /** The end of `sub`. */
  readonly subject: string;
  /** The ref that the workflow runs for, and from which its file is: `*` stands for a number. */
  readonly ref: string;
}

/**
 * The identity tokens of GitHub that may assume a role: of this repository (by its id, so not of a new repository with the same
 * name), for this ref, and of this workflow file at that ref. AWS STS checks these claims since January 2026
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

/** The stacks that a stage may have beside its own; the end of the name of Lambda@Edge's is a digest of its code. */
function otherStacks({ name, account, region }: Stage): string[] {
  const regions = [...new Set([region, edgeRegion])];
  return regions.flatMap((each) =>
    ["alarms", "certificates", "games-log", "games-????????", monitoringSuffix].map(
      (end) => `arn:aws:cloudformation:${each}:${account}:stack/svc-${name}-${end}/*`,
    ),
  );
}

/** The bootstrap's roles that a deployment needs, where its stacks are: not the one for lookups, and not CloudFormation's. */
function cdkRoles(stage: Stage): string[] {
  const { account, region } = stage;
  const regions = new Set([region, ...(isWatchedAtEdge(stage) ? [edgeRegion] : [])]);
  return [...regions].flatMap((each) =>
    ["deploy", "file-publishing"].map(
      (name) => `arn:aws:iam::${account}:role/cdk-${qualifier}-${name}-role-${account}-${each}`,
    ),
  );
}
