import "../../programs/stack-options.ts";
import { expect, test } from "@jest/globals";
import { createApp } from "../../test/support/synthesis/app.ts";
import { withDomain } from "../../test/support/synthesis/settings.ts";
import { ofType, synthesisePipeline } from "../../test/support/synthesis.ts";
import { readStage } from "../settings/stage.ts";
import { stages } from "../stages.ts";
import { PipelineStack } from "./pipeline-stack.ts";

const staging = synthesisePipeline("staging");

test("a stage without a repository has no pipeline, and one sentence says so", () => {
  const { app, dispose } = createApp();
  const stage = readStage("staging", { staging: { ...stages["staging"], repository: undefined } });
  expect(() => new PipelineStack(app, stage)).toThrow('Stage "staging" needs repository, whose workflow deploys it.');
  dispose();
});

test("the roles cannot be deleted by mistake", () => {
  const { app, dispose } = createApp();
  expect(new PipelineStack(app, readStage("staging", stages)).terminationProtection).toBe(true);
  dispose();
});

test("the stack is deployed with the administrator's own credentials, by a template that nobody else can write", () => {
  const { app, dispose } = createApp();
  const { stackName } = new PipelineStack(app, readStage("staging", stages));
  const { assumeRoleArn, cloudFormationExecutionRoleArn, stackTemplateAssetObjectUrl, template } = app
    .synth()
    .getStackByName(stackName);
  expect({ assumeRoleArn, cloudFormationExecutionRoleArn, stackTemplateAssetObjectUrl }).toEqual({});
  // Up to this size the CDK sends a template in the request.
  expect(JSON.stringify(template, null, 2).length).toBeLessThan(51_200);
  dispose();
});

function roleOf(name: string, resources = staging) {
  const [id, role] = Object.entries(resources).find(([, { Properties }]) => Properties.RoleName === name) ?? [];
  const policy = ofType(resources, "AWS::IAM::Policy").find(({ Properties }) => Properties.Roles[0].Ref === id);
  return {
    trust: role?.Properties.AssumeRolePolicyDocument.Statement,
    may: policy?.Properties.PolicyDocument.Statement,
    managed: role?.Properties.ManagedPolicyArns,
  };
}

const host = "token.actions.githubusercontent.com";

test("the role that deploys is for jobs of the stage's environment, and may only assume the bootstrap's roles", () => {
  const { trust, may, managed } = roleOf("svc-staging-deploy");
  expect(trust).toEqual([
    {
      Effect: "Allow",
      Action: "sts:AssumeRoleWithWebIdentity",
      Principal: { Federated: `arn:aws:iam::111111111111:oidc-provider/${host}` },
      Condition: {
        StringEquals: {
          [`${host}:aud`]: "sts.amazonaws.com",
          [`${host}:sub`]: "repo:example@1234567/svc@89012345:environment:staging",
          [`${host}:repository_id`]: "89012345",
        },
        StringLike: {
          [`${host}:ref`]: "refs/heads/main",
          [`${host}:job_workflow_ref`]: "example/svc/.github/workflows/deploy.yml@refs/heads/main",
        },
      },
    },
  ]);
  expect(may).toEqual([
    {
      Effect: "Allow",
      Action: "sts:AssumeRole",
      Resource: ["deploy", "file-publishing"].map(
        (name) => `arn:aws:iam::111111111111:role/cdk-hnb659fds-${name}-role-111111111111-us-east-1`,
      ),
    },
    {
      Effect: "Allow",
      Action: ["cloudformation:DescribeChangeSet", "cloudformation:DescribeStacks", "cloudformation:ExecuteChangeSet"],
      Resource: "arn:aws:cloudformation:us-east-1:111111111111:stack/svc-staging/*",
    },
    {
      Effect: "Allow",
      Action: "cloudformation:DescribeStacks",
      Resource: ["alarms", "certificates", "games-????????", "games-log", "monitoring"].map(
        (end) => `arn:aws:cloudformation:us-east-1:111111111111:stack/svc-staging-${end}/*`,
      ),
    },
  ]);
  expect(managed).toBeUndefined();
});

test("the role that deploys reaches us-east-1 too if the stage has a stack there", () => {
  const certificateArn = "arn:aws:acm:us-east-1:111111111111:certificate/2";
  const gamesDomain = { name: "games.example.net", certificateArn };
  const assumed = (changes: object) =>
    roleOf("svc-staging-deploy", synthesisePipeline("staging", changes)).may[0].Resource;
  const rolesIn = (...regions: string[]) =>
    ["deploy", "file-publishing"].flatMap((name) =>
      regions.map((region) => `arn:aws:iam::111111111111:role/cdk-hnb659fds-${name}-role-111111111111-${region}`),
    );
  const region = "eu-west-1";
  const alone = { region, dashboard: undefined };
  expect(assumed(alone)).toEqual(rolesIn(region));
  const { domain } = withDomain("staging", region);
  const { dashboard } = stages["staging"] ?? {};
  for (const option of [{ gamesDomain }, { dashboard }, { domain, healthChecks: true }])
    expect(assumed({ ...alone, ...option })).toEqual(rolesIn(region, "us-east-1"));
  expect(assumed({ gamesDomain })).toEqual(rolesIn("us-east-1"));
});

test("the role of a pull request may read the deployed template, and no data", () => {
  const { trust, may, managed } = roleOf("svc-staging-diff");
  expect(trust[0].Condition).toMatchObject({
    StringEquals: {
      [`${host}:sub`]: "repo:example@1234567/svc@89012345:pull_request",
      [`${host}:repository_id`]: "89012345",
    },
    StringLike: {
      [`${host}:ref`]: "refs/pull/*/merge",
      [`${host}:job_workflow_ref`]: "example/svc/.github/workflows/deploy.yml@refs/pull/*/merge",
    },
  });
  expect(may).toEqual([
    {
      Effect: "Allow",
      Action: ["cloudformation:DescribeStacks", "cloudformation:GetTemplate"],
      Resource: "arn:aws:cloudformation:us-east-1:111111111111:stack/svc-staging/*",
    },
  ]);
  expect(managed).toBeUndefined();
});

test("the stack makes no provider for GitHub, of which an account can have one", () => {
  expect(ofType(staging, "AWS::IAM::OIDCProvider")).toEqual([]);
});

test("a repository that is older than the ids in its tokens' subject is trusted by its name", () => {
  const resources = synthesisePipeline("staging", { repository: "example/svc" });
  expect(roleOf("svc-staging-diff", resources).trust[0].Condition.StringEquals).toMatchObject({
    [`${host}:sub`]: "repo:example/svc:pull_request",
  });
  expect(roleOf("svc-staging-diff", resources).trust[0].Condition.StringEquals).not.toHaveProperty([
    `${host}:repository_id`,
  ]);
});
