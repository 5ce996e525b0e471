import { expect, test } from "@jest/globals";
import type { DeployedStage } from "../../../infra/deployment/deployed-stage.ts";
import { logChecks } from "./smoke.ts";

const files = { Contents: [{ Key: "log/…" }] };

test.each<[string, number, object, string | undefined]>([
  ["has files", 1_000, files, undefined],
  ["has no files", 1_000, {}, "games-log has no file in log/20"],
  ["has no files, of few requests", 999, {}, undefined],
])("the log of the games' requests %s", async (_, Sum, listed, sentence) => {
  const asked: string[] = [];
  const answerTo =
    (place: string, response: object) =>
    (...args: readonly string[]) => {
      asked.push(`${place} ${args.join(" ")}`);
      return Promise.resolve(response);
    };
  const stage = {
    games: { distributionId: "E1", awsAtEdge: answerTo("us-east-1", { Datapoints: [{ Sum }] }) },
    aws: answerTo("own", listed),
    output: (name: string) => (name === "GamesLogBucketArn" ? "arn:aws:s3:::games-log" : undefined),
  };
  const found = await logChecks[0]?.find(stage as unknown as DeployedStage);
  expect(found).toEqual(sentence === undefined ? undefined : expect.stringContaining(sentence));
  expect(asked[0]).toContain("--dimensions Name=DistributionId,Value=E1 Name=Region,Value=Global --statistics Sum");
  if (Sum >= 1_000) expect(asked[1]).toMatch(/^own .*--bucket games-log --prefix log\/\d{4}\/\d\d\/\d\d\/ /);
});

test("a stage that leaves statistics out has no log to look for", async () => {
  const stage = { games: { distributionId: "E1" }, output: () => undefined };
  expect(await logChecks[0]?.find(stage as unknown as DeployedStage)).toBeUndefined();
});
