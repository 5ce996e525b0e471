import { describe, expect, test } from "@jest/globals";
import type { CoreRouteName } from "../../contract/api/routes.ts";
import { access } from "../../functions/access.ts";
import { withGames } from "../../test/support/synthesis/settings.ts";
import {
  functionOf,
  ofType,
  type Resource,
  type Resources,
  statementsOfRoles,
  synthesise,
} from "../../test/support/synthesis.ts";

const without = synthesise("staging");
const staging = synthesise("staging", withGames("staging"));
const writing = (Object.keys(access) as CoreRouteName[]).filter((route) => "pointers" in access[route]);

/** The actions of a function, each with its resource and the partitions of the table. */
function permissionsOf(resources: Resources, role: string) {
  return (statementsOfRoles(resources)[role] ?? []).map(({ Action, Resource: place, Condition }) => ({
    actions: [Action].flat().join(" "),
    on: typeof place === "string" ? place : (place["Fn::GetAtt"]?.[0].slice(0, -8) ?? "objects"),
    ...(Condition && { keys: Condition["ForAllValues:StringLike"]?.["dynamodb:LeadingKeys"] }),
  }));
}

const roleOf = ([, { Properties }]: readonly [string, Resource]) => Properties.Role["Fn::GetAtt"][0];
const store = {
  actions: "cloudfront-keyvaluestore:DescribeKeyValueStore cloudfront-keyvaluestore:UpdateKeys",
  on: "GamesPointers",
};
const counting = "dynamodb:BatchWriteItem dynamodb:Query dynamodb:UpdateItem";
const emptying = { actions: "dynamodb:BatchWriteItem dynamodb:Query", on: "Table", keys: ["POINTER#*"] };

describe("a stage without a games' edge", () => {
  test("has nothing of pointers", () => {
    expect(JSON.stringify(without)).not.toMatch(/pointer|GAMES_STORE|keyvaluestore/i);
  });
});

describe("on a stage with a games' edge", () => {
  test.each(writing)("%s may write what waits and the edge's store, and knows it", (route) => {
    const found = functionOf(staging, route);
    const permissions = permissionsOf(staging, roleOf(found));
    expect(permissions).toEqual(expect.arrayContaining([store, { ...emptying, actions: counting }]));
    const change = permissions.find(({ keys }) => keys?.includes("PROJECT#*"));
    expect(change?.keys).toContain("POINTER#*");
    expect(change?.actions).toContain("dynamodb:PutItem");
    expect(found[1].Properties.Environment.Variables).toMatchObject({
      GAMES_STORE_ARN: { "Fn::GetAtt": [expect.stringMatching(/^GamesPointers/), "Arn"] },
    });
  });

  test("no other route knows the store or may write it", () => {
    const others = (Object.keys(access) as CoreRouteName[]).filter((route) => !writing.includes(route));
    for (const route of others) {
      const found = functionOf(staging, route);
      const { GAMES_DOMAIN: _, GAMES_EDGE_DOMAIN: __, ...told } = found[1].Properties.Environment.Variables;
      expect(told).toEqual(functionOf(without, route)[1].Properties.Environment.Variables);
      expect(permissionsOf(staging, roleOf(found))).not.toContainEqual(store);
    }
  });

  test("a function runs every minute, reads projects, empties what waits, writes the store, and may nothing else", () => {
    const found = Object.entries(staging).find(
      ([, { Properties }]) => Properties.FunctionName === "svc-staging-write-pointers",
    );
    if (found === undefined) throw new Error("Nothing writes pointers");
    const [id, { Properties }] = found;
    const [rule] = ofType(staging, "AWS::Events::Rule").filter((each) => JSON.stringify(each).includes(id));
    expect(rule?.Properties.ScheduleExpression).toBe("rate(1 minute)");
    expect({ timeout: Properties.Timeout, variables: Object.keys(Properties.Environment.Variables) }).toEqual({
      timeout: 50,
      variables: ["SVC_STAGE", "NOTICES", "SAVES_PAGE", "TABLE_NAME", "GAMES_STORE_ARN"],
    });
    expect(permissionsOf(staging, roleOf(found))).toEqual([
      { actions: "xray:PutTelemetryRecords xray:PutTraceSegments", on: "*" },
      { actions: "logs:CreateLogStream logs:PutLogEvents", on: "FunctionLog" },
      emptying,
      { actions: "dynamodb:BatchGetItem", on: "Table", keys: ["PROJECT#*"] },
      {
        on: "GamesPointers",
        actions:
          "cloudfront-keyvaluestore:DescribeKeyValueStore cloudfront-keyvaluestore:ListKeys cloudfront-keyvaluestore:UpdateKeys",
      },
    ]);
  });

  test("a pointer that the store refuses is counted, for its alarm", () => {
    const filters = ofType(staging, "AWS::Logs::MetricFilter").map(({ Properties }) => Properties.FilterPattern);
    expect(filters).toContain('{ $.code = "pointer_refused" }');
  });
});
