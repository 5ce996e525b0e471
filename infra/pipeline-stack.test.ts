import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { createApp, ofType, type Resources } from "../test/support/synthesis.ts";
import { PipelineStack } from "./pipeline-stack.ts";
import { readStage } from "./stage.ts";
import { stages } from "./stages.ts";

function synthesisePipeline(changes: object = {}): Resources {
  const { app, dispose } = createApp();
  try {
    const stage = readStage("staging", { staging: { ...stages["staging"], ...changes } });
    const { stackName } = new PipelineStack(app, stage);
    return app.synth().getStackByName(stackName).template.Resources;
  } finally {
    dispose();
  }
}

const staging = synthesisePipeline();
const workflow = readFileSync(".github/workflows/deploy.yml", "utf8");
const stageWorkflow = readFileSync(".github/workflows/deploy-stage.yml", "utf8");

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

test("the role that deploys is for jobs of the stage's environment, and may only become the bootstrap's roles", () => {
  const { trust, may, managed } = roleOf("svc-staging-deploy");
  expect(trust).toEqual([
    {
      Effect: "Allow",
      Action: "sts:AssumeRoleWithWebIdentity",
      Principal: { Federated: { "Fn::GetAtt": ["GitHub", "Arn"] } },
      Condition: {
        StringEquals: {
          [`${host}:aud`]: "sts.amazonaws.com",
          [`${host}:sub`]: "repo:example@1234567/svc@89012345:environment:staging",
        },
      },
    },
  ]);
  expect(may).toEqual([
    {
      Effect: "Allow",
      Action: "sts:AssumeRole",
      Resource: ["deploy", "file-publishing", "lookup"].map(
        (name) => `arn:aws:iam::111111111111:role/cdk-hnb659fds-${name}-role-111111111111-us-east-1`,
      ),
    },
  ]);
  expect(managed).toBeUndefined();
});

test("the role of a pull request may read the deployed template, and no data", () => {
  const { trust, may, managed } = roleOf("svc-staging-diff");
  expect(trust[0].Condition.StringEquals[`${host}:sub`]).toBe("repo:example@1234567/svc@89012345:pull_request");
  expect(may).toEqual([
    {
      Effect: "Allow",
      Action: ["cloudformation:DescribeStacks", "cloudformation:GetTemplate"],
      Resource: "arn:aws:cloudformation:us-east-1:111111111111:stack/svc-staging/*",
    },
  ]);
  expect(managed).toBeUndefined();
});

test("an account that has GitHub's provider already keeps it, and the roles trust that one", () => {
  const resources = synthesisePipeline({ hasGitHubProvider: true });
  expect(ofType(resources, "AWS::IAM::OIDCProvider")).toEqual([]);
  expect(roleOf("svc-staging-deploy", resources).trust[0].Principal).toEqual({
    Federated: `arn:aws:iam::111111111111:oidc-provider/${host}`,
  });
});

test("a repository that is older than the ids in its tokens' subject is trusted by its name", () => {
  const resources = synthesisePipeline({ repository: "example/svc" });
  expect(roleOf("svc-staging-diff", resources).trust[0].Condition.StringEquals).toMatchObject({
    [`${host}:sub`]: "repo:example/svc:pull_request",
  });
});

test("the workflow holds no key, and gives the token to the smoke test alone", () => {
  for (const text of [workflow, stageWorkflow]) {
    expect(text).not.toMatch(/aws-(secret-)?access-key/i);
    expect(text).not.toContain("secrets: inherit");
  }
  expect(workflow).not.toContain("secrets.");
  expect(stageWorkflow.split("secrets.")).toHaveLength(2);
  const steps = stageWorkflow.split(/^ {6}- /m);
  expect(steps.filter((step) => step.includes("secrets."))).toEqual([expect.stringMatching(/^name: smoke test\n/)]);
});

test("the workflow deploys the stages that exist, as the roles that exist", () => {
  const deployed = [...workflow.matchAll(/^ {6}stage: (\w+)$/gm)].map(([, stage]) => stage);
  expect(deployed).toEqual(Object.keys(stages));
  expect(workflow).toMatch(/role-to-assume: .*:role\/svc-\S+ matrix.stage }}-diff$/m);
  expect(stageWorkflow).toMatch(/role-to-assume: .*:role\/svc-\S+ inputs.stage }}-deploy$/m);
});
