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
const deployAction = readFileSync(".github/actions/deploy/action.yml", "utf8");

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
  for (const text of [workflow, deployAction]) expect(text).not.toMatch(/aws-(secret-)?access-key/i);
  expect(deployAction).not.toContain("secrets.");
  const steps = workflow.split(/^ {6}- /m).filter((step) => step.includes("secrets."));
  expect(steps).toEqual([expect.stringMatching(/^name: smoke test\n/), expect.stringMatching(/^name: smoke test\n/)]);
});

test("each stage that exists is deployed by a job of its environment, which sees that environment's secrets", () => {
  const [, jobs = ""] = workflow.split(/^jobs:\n/m);
  const deployments = jobs.split(/^(?= {2}\w+:$)/m).filter((job) => job.includes("uses: ./.github/actions/deploy"));
  expect(deployments.map((job) => /^ {2}(\w+):/.exec(job)?.[1])).toEqual(Object.keys(stages));
  for (const [index, name] of Object.keys(stages).entries()) {
    expect(deployments[index]).toContain(`    environment:\n      name: ${name}\n`);
    expect(deployments[index]).toContain(`          stage: ${name}\n`);
  }
  expect(workflow).not.toContain("workflow_call");
});

test("the jobs take the roles that exist", () => {
  expect(workflow).toMatch(/role-to-assume: .*:role\/svc-\S+ matrix.stage }}-diff$/m);
  expect(deployAction).toMatch(/role-to-assume: .*:role\/svc-\S+ inputs.stage }}-deploy$/m);
});

test("every action of others is pinned to a commit, and the version that it is stands beside it", () => {
  const used = [...`${workflow}${deployAction}`.matchAll(/uses: (?!\.\/)(.*)$/gm)].map(([, action]) => action);
  expect(used.length).toBeGreaterThan(0);
  for (const action of used) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});
