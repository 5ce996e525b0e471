import "../../../programs/stack-options.ts";
import { expect, test } from "@jest/globals";
import { deleteLeftovers, findLeftovers } from "../../../infra/deployment/leftovers.ts";
import { edgeRegion } from "../../../infra/hosts/domains.ts";
import { readStage } from "../../../infra/settings/stage.ts";
import { stages } from "../../../infra/stages.ts";
import { addStacksOf, createApp } from "../../support/synthesis/app.ts";
import { everyOption } from "../../support/synthesis/settings.ts";
import type { Resources } from "../../support/synthesis.ts";

/* What a stage left is found and deleted, in an account that is served here. */

const region = "eu-west-3";
const name = "staging";
const stage = readStage(name, { [name]: { ...stages[name], region } });

interface Account {
  readonly tables?: readonly string[];
  readonly buckets?: readonly string[];
  /** Ids of the pools that are called `svc-staging`. */
  readonly userPools?: readonly string[];
  readonly functions?: readonly string[];
  /** By the region. */
  readonly logs?: Readonly<Record<string, readonly string[]>>;
  /** Standard error of `aws` for a command with these words. */
  readonly refusals?: Readonly<Record<string, string>>;
}

/** A fake `aws` that keeps the commands sent; lists are null if they are empty, as the command line prints them. */
function awsOf(has: Account) {
  const sent: string[] = [];
  const command =
    (where: string) =>
    async (...args: readonly string[]) => {
      const line = args.join(" ");
      const list = (names: readonly string[] = []) => (names.length === 0 ? null : names);
      sent.push(`${where} ${line}`);
      for (const [words, message] of Object.entries(has.refusals ?? {}))
        if (line.includes(words)) throw new Error(message);
      const [service = "", verb = "", , value = ""] = args;
      const responses: Readonly<Record<string, () => unknown>> = {
        "s3api list-buckets": () => list(has.buckets),
        "dynamodb list-tables": () => (where === region ? list(has.tables) : null),
        "cognito-idp list-user-pools": () =>
          where === region && line.includes("[?Name=='svc-staging']") ? list(has.userPools) : null,
        "lambda list-functions": () => (where === edgeRegion ? list(has.functions) : null),
        "ec2 describe-regions": () => [region, edgeRegion, "eu-west-2"],
        "logs describe-log-groups": () => list(has.logs?.[where]?.filter((group) => group.startsWith(value))),
      };
      return (
        responses[`${service} ${verb}`]?.() ?? (verb.startsWith("list") || verb === "describe-log-groups" ? null : {})
      );
    };
  return { command, sent };
}

/** The names that CloudFormation gives what a template retains, as an account that has nothing else. */
function accountAfter(): { account: Account; retained: number } {
  const made = createApp();
  const whole = readStage(name, { [name]: { ...stages[name], ...everyOption(name) } });
  const stacks = addStacksOf(made, whole);
  const assembly = made.app.synth();
  const found: Record<string, string[]> = {};
  let retained = 0;
  for (const stack of stacks) {
    const { Resources: resources } = assembly.getStackByName(stack).template as { Resources: Resources };
    for (const [id, { Type, DeletionPolicy = "" }] of Object.entries(resources)) {
      // A version goes with its function.
      if (!DeletionPolicy.startsWith("Retain") || Type === "AWS::Lambda::Version") continue;
      retained += 1;
      const physical = `${stack}-${id}-1AB2CD3EF4GH`;
      found[Type] = [...(found[Type] ?? []), Type === "AWS::S3::Bucket" ? physical.toLowerCase() : physical];
    }
  }
  made.dispose();
  return {
    retained,
    account: {
      tables: found["AWS::DynamoDB::GlobalTable"] ?? [],
      buckets: found["AWS::S3::Bucket"] ?? [],
      userPools: found["AWS::Cognito::UserPool"] ?? [],
      functions: found["AWS::Lambda::Function"] ?? [],
      logs: { [region]: found["AWS::Logs::LogGroup"] ?? [] },
    },
  };
}

const { account: abandoned, retained } = accountAfter();

test("whatever the stage's stacks retain is found, with the logs that Lambda@Edge made elsewhere", async () => {
  const { command } = awsOf({
    ...abandoned,
    logs: { ...abandoned.logs, "eu-west-2": ["/svc/staging/games-origin", "/svc/staging/games-origin-2"] },
  });
  const found = await findLeftovers(stage, command);
  expect(retained).toBeGreaterThan(6);
  expect(found).toHaveLength(retained + 1);
  expect(found).toContainEqual({ kind: "log group", region: "eu-west-2", name: "/svc/staging/games-origin" });
  expect(found.at(-1)?.kind).toBe("access log");
});

test("what belongs to another stage or to nobody is not found", async () => {
  const { command } = awsOf({
    tables: ["svc-staging-2-TableCD117FA1-AB", "svc-staging-Table", "my-svc-staging-TableCD117FA1-AB", "games"],
    buckets: ["svc-staging-files", "svc-staging-files-files8e6940b8-ab", "svc-staging-2-files8e6940b8-ab"],
    functions: ["svc-staging-getMe", "svc-staging-2-games-0a1b2c3d-OriginBCF5A9D0-AB", "svc-staging-OriginBCF5A9D0-AB"],
    logs: { [region]: ["svc-staging-2-FunctionLog05E39BEF-AB", "svc-staging-games"] },
  });
  expect(await findLeftovers(stage, command)).toEqual([]);
});

test("the table that the stage was restored to is left too", async () => {
  const { command } = awsOf({ tables: ["restored", "other"] });
  const found = await findLeftovers({ ...stage, restoredTable: "restored" }, command);
  expect(found).toEqual([{ kind: "table", region, name: "restored" }]);
});

test("each is deleted: buckets are emptied first, and the protection of table and user pool is taken off", async () => {
  const { command, sent } = awsOf(abandoned);
  const lines: string[] = [];
  const found = await findLeftovers(stage, command);
  sent.length = 0;
  expect(await deleteLeftovers(found, (line) => lines.push(line), command)).toBe(0);
  expect(lines).toHaveLength(found.length);
  const table = abandoned.tables?.[0];
  const log = abandoned.buckets?.find((bucket) => bucket.includes("accesslog"));
  expect(sent).toEqual(
    expect.arrayContaining([
      `${region} dynamodb update-table --table-name ${table} --no-deletion-protection-enabled`,
      `${region} dynamodb delete-table --table-name ${table}`,
      `${region} cognito-idp update-user-pool --user-pool-id ${abandoned.userPools?.[0]} --deletion-protection INACTIVE`,
      `${region} cognito-idp delete-user-pool --user-pool-id ${abandoned.userPools?.[0]}`,
      `${edgeRegion} lambda delete-function --function-name ${abandoned.functions?.[0]}`,
    ]),
  );
  expect(sent.filter((line) => line.includes("delete-bucket"))).toHaveLength(4);
  expect(sent.slice(-2)).toEqual([
    `${region} s3 rm s3://${log} --recursive --only-show-errors`,
    `${region} s3api delete-bucket --bucket ${log}`,
  ]);
});

test.each([
  ["delete-function", "it is a replicated function", "within hours"],
  ["delete-bucket", "An error occurred (BucketNotEmpty)", "in some hours"],
  ["delete-table", "AccessDeniedException", "AccessDeniedException"],
])("what cannot be deleted yet is told, and the others are deleted: %s", async (words, message, told) => {
  const { command, sent } = awsOf({ ...abandoned, refusals: { [words]: message } });
  const lines: string[] = [];
  const left = await deleteLeftovers(await findLeftovers(stage, command), (line) => lines.push(line), command);
  const refused = lines.filter((line) => line.includes("NOT deleted"));
  expect(left).toBe(refused.length);
  expect(left).toBeGreaterThan(0);
  for (const line of refused) expect(line).toContain(told);
  expect(sent.filter((line) => line.includes("delete-log-group"))).toHaveLength(2);
});
