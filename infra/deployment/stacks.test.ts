import { expect, test } from "@jest/globals";
import { unionOf } from "./account-policies.ts";
import type { StackPlace } from "./aws-command.ts";
import { refuseLoss } from "./deploy-plan.ts";
import { makeDeployable, type StackStep, stepOf } from "./stacks.ts";
import { changesOf } from "./template-changes.ts";

/* What a deployment must never lose, in one process; infra/deploy.test.ts runs the command. */

const made = [
  ["AWS::DynamoDB::GlobalTable", "Table1", "DELETE_SKIPPED"],
  ["AWS::Cognito::UserPool", "eu-west-3_1", "DELETE_SKIPPED"],
  ["AWS::S3::Bucket", "files1", "DELETE_COMPLETE"],
  ["AWS::Lambda::Function", "get-me", "DELETE_FAILED"],
].map(([ResourceType, PhysicalResourceId, ResourceStatus]) => ({ ResourceType, PhysicalResourceId, ResourceStatus }));

const event = (ResourceType: string, ResourceStatus: string, ResourceStatusReason: string) => ({
  LogicalResourceId: "Bus",
  ...{ ResourceType, ResourceStatus, ResourceStatusReason },
  ...(ResourceType === "AWS::CloudFormation::Stack" && { PhysicalResourceId: "1", StackId: "1" }),
});
/** The last one first. */
const events = [
  event("AWS::SQS::Queue", "CREATE_FAILED", "Resource creation cancelled"),
  event("AWS::Events::EventBus", "CREATE_FAILED", "svc-trial already exists"),
  event("AWS::CloudFormation::Stack", "CREATE_IN_PROGRESS", "User Initiated"),
  event("AWS::Events::EventBus", "CREATE_FAILED", "of an earlier attempt"),
];
const reasons = "\n  Bus (AWS::Events::EventBus): svc-trial already exists";

/** A stack in a state, whose table has so many items; and the commands sent. `next`: its state after its rollback or deletion. */
function stackIn(status: string, { items = 0, next }: { items?: number; next?: string } = {}) {
  const sent: string[] = [];
  let current: string | undefined = status;
  const aws: StackPlace["aws"] = async (...args) => {
    const line = args.join(" ");
    sent.push(line);
    if (line.includes("describe-stacks") && current === undefined)
      throw new Error("Stack with id svc-trial does not exist");
    if (/ (delete-stack|rollback-stack|continue-update-rollback) /.test(line)) current = next;
    if (line.includes("describe-stacks")) return { Stacks: [{ StackStatus: current }] };
    if (line.includes("describe-stack-events")) return { StackEvents: events };
    if (line.includes("list-stack-resources")) return { StackResourceSummaries: made };
    return line.includes("dynamodb scan") ? { Count: items } : {};
  };
  const place = { name: "svc-trial", region: "eu-west-3", aws };
  const deletions = () => sent.filter((line) => / delete-/.test(line));
  const bring = (step: StackStep) => makeDeployable(place, step, () => undefined);
  return { place, bring, remake: () => bring("remake"), deletions, sent };
}

test("a failed creation is deleted with its empty table and its user pool", async () => {
  const { remake, deletions } = stackIn("ROLLBACK_COMPLETE");
  await remake();
  expect(deletions()).toEqual([
    "cloudformation delete-stack --stack-name svc-trial",
    "dynamodb delete-table --table-name Table1",
    "cognito-idp delete-user-pool --user-pool-id eu-west-3_1",
  ]);
});

test("nothing of a failed creation is deleted if its table has an item", async () => {
  const { remake, deletions } = stackIn("CREATE_FAILED", { items: 1 });
  await expect(remake()).rejects.toThrow("its table Table1 has data");
  expect(deletions()).toEqual([]);
});

test("the table of a stack that was complete once stays", async () => {
  const { remake, deletions } = stackIn("DELETE_FAILED");
  await remake();
  expect(deletions()).toEqual(["cloudformation delete-stack --stack-name svc-trial"]);
});

test("a stack that cannot be deleted is named with CloudFormation's reasons", async () => {
  const { remake } = stackIn("ROLLBACK_COMPLETE", { next: "DELETE_FAILED" });
  await expect(remake()).rejects.toThrow(`The stack svc-trial in eu-west-3 is DELETE_FAILED:${reasons}`);
});

test.each([
  ["continueRollback", "UPDATE_ROLLBACK_FAILED", "continue-update-rollback"],
  ["rollBack", "UPDATE_FAILED", "rollback-stack"],
] as const)(
  "to %s is to finish it before the update, which does not begin if it fails",
  async (step, state, command) => {
    const { bring, sent } = stackIn(state, { next: "UPDATE_ROLLBACK_COMPLETE" });
    await bring(step);
    expect(sent[0]).toBe(`cloudformation ${command} --stack-name svc-trial`);
    const failing = stackIn(state, { next: "UPDATE_ROLLBACK_FAILED" });
    await expect(failing.bring(step)).rejects.toThrow(
      `The rollback of svc-trial ended in UPDATE_ROLLBACK_FAILED:${reasons}`,
    );
  },
);

const { place } = stackIn("CREATE_COMPLETE");

test.each<[string, StackStep]>([
  ["REVIEW_IN_PROGRESS", "create"],
  ["CREATE_COMPLETE", "update"],
  ["UPDATE_ROLLBACK_COMPLETE", "update"],
  ["CREATE_FAILED", "remake"],
  ["ROLLBACK_COMPLETE", "remake"],
  ["ROLLBACK_FAILED", "remake"],
  ["DELETE_FAILED", "remake"],
  ["UPDATE_ROLLBACK_FAILED", "continueRollback"],
  ["UPDATE_FAILED", "rollBack"],
])("the step of a stack that is %s: %s", (StackStatus, step) => {
  expect(stepOf(place, { StackStatus })).toBe(step);
});

test("a state out of which only a person finds is refused", () => {
  expect(() => stepOf(place, { StackStatus: "IMPORT_ROLLBACK_FAILED" })).toThrow("which no deployment can change");
});

const ofType = (Type: string, Properties: Record<string, unknown> = {}) => ({ Type, Properties });
const replacing = async () => ["BucketName", "KeySchema"];

test.each([
  ["AWS::ApiGatewayV2::Api", "API"],
  ["AWS::ApiGatewayV2::DomainName", "host name of the API"],
  ["AWS::Backup::BackupVault", "vault of copies"],
  ["AWS::CloudFront::Distribution", "distribution"],
  ["AWS::CloudFront::KeyValueStore", "store of pointers"],
  ["AWS::Cognito::UserPool", "user pool"],
  ["AWS::DynamoDB::GlobalTable", "table"],
  ["AWS::S3::Bucket", "bucket"],
])("a removed %s is named as a %s", async (type, what) => {
  const { named } = await changesOf({ Resources: { Games: ofType(type) } }, {}, replacing);
  expect(named).toEqual([{ id: "Games", what, change: "REMOVE", properties: [] }]);
});

const bucket = (properties: Record<string, unknown>) => ofType("AWS::S3::Bucket", properties);

test.each([
  ["of another name", bucket({ BucketName: "a" }), bucket({ BucketName: "b" }), "REPLACE", "BucketName"],
  ["with another key", bucket({ KeySchema: ["a"] }), bucket({ KeySchema: [] }), "REPLACE", "KeySchema"],
  ["of another type", bucket({}), ofType("AWS::SQS::Queue"), "REPLACE", "Type"],
  ["with another policy", bucket({ Policy: "a" }), bucket({ Policy: "b" }), "change", "Policy"],
])("a bucket %s", async (_, before, after, change, property) => {
  const { named } = await changesOf({ Resources: { Games: before } }, { Resources: { Games: after } }, replacing);
  expect(named).toEqual([{ id: "Games", what: "bucket", change, properties: [property] }]);
});

test("a bucket of which CloudFormation does not say whether it is replaced", async () => {
  const [before, after] = [bucket({ Policy: "a" }), bucket({})];
  const unknown = async () => undefined;
  const { named } = await changesOf({ Resources: { Games: before } }, { Resources: { Games: after } }, unknown);
  expect(named).toEqual([{ id: "Games", what: "bucket", change: "REPLACE", properties: ["Policy"] }]);
});

const planOf = (change: "change" | "REMOVE" | "REPLACE") => {
  const named = [{ id: "Table1", what: "table", change, properties: [] }];
  return { stacks: [{ changes: { added: 0, changed: 0, removed: 0, named } }] } as never;
};

test.each(["REMOVE", "REPLACE"] as const)(
  "nobody is asked, so a table to %s is refused unless its id is allowed",
  (change) => {
    expect(() => refuseLoss(planOf(change), ["Table2"])).toThrow("--allow Table1");
    refuseLoss(planOf(change), ["Table1"]);
    refuseLoss(planOf("change"), []);
  },
);

const allow = (Action: string[], Resource = "*") => ({ Sid: "Parts", Effect: "Allow" as const, Action, Resource });
const deny = (Action: string) => ({ Sid: "Not", Effect: "Deny" as const, Action, Resource: "*" });
const policy = (...Statement: ReturnType<typeof allow | typeof deny>[]) => ({ Version: "2012-10-17", Statement });

test("two versions' rights together: what either allows, and what the newer one denies", () => {
  const former = policy(allow(["s3:*", "sqs:*"]), allow(["sns:*"], "arn:1"), deny("iam:CreateUser"));
  const own = policy(allow(["kms:*", "s3:*"]), deny("iam:*"));
  expect(unionOf(former, own).Statement).toEqual([
    allow(["kms:*", "s3:*", "sqs:*"]),
    deny("iam:*"),
    { ...allow(["sns:*"], "arn:1"), Sid: "Before0" },
  ]);
  // The same again, also after a deployment that failed.
  expect(unionOf(unionOf(former, own), own).Statement).toEqual(unionOf(former, own).Statement);
});

test("rights that do not fit into one policy are refused", () => {
  const many = policy(allow(Array.from({ length: 400 }, (_, index) => `service${index}:Action`)));
  expect(() => unionOf(many, policy(allow(["s3:*"])))).toThrow("do not fit into one policy");
});
