import { expect, test } from "@jest/globals";
import { unionOf } from "./account-policies.ts";
import type { StackPlace } from "./aws-command.ts";
import { refuseLoss } from "./deploy-plan.ts";
import { makeDeployable } from "./stacks.ts";

/* What a deployment must never lose, in one process; infra/deploy.test.ts runs the command. */

const table = {
  ResourceType: "AWS::DynamoDB::GlobalTable",
  PhysicalResourceId: "Table1",
  ResourceStatus: "DELETE_SKIPPED",
};

/** A stack in a state, whose table has so many items; and the commands sent. */
function stackIn(status: string, items: number) {
  const sent: string[] = [];
  let isThere = true;
  const aws: StackPlace["aws"] = async (...args) => {
    const line = args.join(" ");
    sent.push(line);
    if (line.includes("describe-stacks") && !isThere) throw new Error("Stack with id svc-trial does not exist");
    if (line.includes("delete-stack")) isThere = false;
    if (line.includes("describe-stacks")) return { Stacks: [{ StackStatus: status }] };
    if (line.includes("list-stack-resources")) return { StackResourceSummaries: [table] };
    return line.includes("dynamodb scan") ? { Count: items } : {};
  };
  const place = { name: "svc-trial", region: "eu-west-3", aws };
  const deletions = () => sent.filter((line) => / delete-/.test(line));
  return { remake: () => makeDeployable(place, "remake", () => undefined), deletions };
}

test("a failed creation is deleted with its empty table", async () => {
  const { remake, deletions } = stackIn("ROLLBACK_COMPLETE", 0);
  await remake();
  expect(deletions()).toEqual([
    "cloudformation delete-stack --stack-name svc-trial",
    "dynamodb delete-table --table-name Table1",
  ]);
});

test("nothing of a failed creation is deleted if its table has an item", async () => {
  const { remake, deletions } = stackIn("CREATE_FAILED", 1);
  await expect(remake()).rejects.toThrow("its table Table1 has data");
  expect(deletions()).toEqual([]);
});

test("the table of a stack that was complete once stays", async () => {
  const { remake, deletions } = stackIn("DELETE_FAILED", 0);
  await remake();
  expect(deletions()).toEqual(["cloudformation delete-stack --stack-name svc-trial"]);
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
