import "../../programs/stack-options.ts";
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { addStacksOf, createApp } from "../../test/support/synthesis/app.ts";
import { everyOption, withDomain, withGames, withHostedZones } from "../../test/support/synthesis/settings.ts";
import { ofType, type Resources, synthesise } from "../../test/support/synthesis.ts";
import { readStage } from "../settings/stage.ts";
import { PipelineStack } from "../stacks/pipeline-stack.ts";
import { stages } from "../stages.ts";

/** 92 % of the resources and 80 % of what else CloudFormation takes (https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html). */
const most = { resources: 460, outputs: 160, parameters: 160, bytes: 800_000, policyBytes: 8_192 };

const variants = Object.keys(stages).flatMap((name): [string, string, object][] => [
  [name, "as it is", {}],
  [name, "every option", everyOption(name)],
  [name, "its names in hosted zones", withHostedZones(name)],
  [name, "every option in another region", { ...everyOption(name), ...withDomain(name, "eu-west-3") }],
]);

test.each(variants)("each stack of %s, %s, is well below CloudFormation's limits", (name, _, changes) => {
  const made = createApp();
  const stage = readStage(name, { [name]: { ...stages[name], ...changes } });
  const names = [...addStacksOf(made, stage), new PipelineStack(made.app, stage).stackName];
  const assembly = made.app.synth();
  for (const stackName of names) {
    const { template, templateFullPath } = assembly.getStackByName(stackName);
    const { Resources, Outputs = {}, Parameters = {} } = template;
    const inline = ofType(Resources, "AWS::IAM::Role").map(
      ({ Properties }) => JSON.stringify(Properties.Policies ?? []).length,
    );
    const sizes = {
      resources: Object.keys(Resources).length,
      outputs: Object.keys(Outputs).length,
      parameters: Object.keys(Parameters).length,
      bytes: readFileSync(templateFullPath).byteLength,
      policyBytes: Math.max(0, ...inline),
    };
    const over = Object.entries(sizes).filter(([size, value]) => value > most[size as keyof typeof most]);
    expect([stackName, over]).toEqual([stackName, []]);
  }
  made.dispose();
});

test("an update replaces neither the table nor the buckets: their logical ids never change", () => {
  const ids = (type: string, resources: Resources) =>
    Object.keys(resources).filter((id) => resources[id]?.Type === type);
  const largest = synthesise("staging", everyOption("staging"));
  expect(ids("AWS::DynamoDB::GlobalTable", largest)).toEqual(["TableCD117FA1"]);
  expect(ids("AWS::S3::Bucket", largest)).toEqual([
    "FilesAccessLog641350B8",
    "Files8E6940B8",
    "GamesLogBucketD824CC81",
    "DashboardSiteFiles1232FF14",
  ]);
  expect(ids("AWS::CloudFront::KeyValueStore", largest)).toEqual(["GamesPointersFD267842"]);
});

/** Dollars a month at list prices in us-east-1, of what is paid without a request. */
const perMonth = {
  alarmMetric: 0.1,
  compositeAlarm: 0.5,
  dashboard: 3,
  countedMetric: 0.3,
  minutelyRun: 0.1,
  healthCheck: 2.5,
};

function idleCost(resources: Resources): number {
  const alarmMetrics = ofType(resources, "AWS::CloudWatch::Alarm").flatMap(({ Properties: { Metrics } }) =>
    Metrics ? Metrics.filter(({ MetricStat }: { MetricStat?: object }) => MetricStat) : ["one"],
  );
  const minutely = ofType(resources, "AWS::Events::Rule").filter(
    ({ Properties }) => Properties.ScheduleExpression === "rate(1 minute)",
  );
  return (
    alarmMetrics.length * perMonth.alarmMetric +
    ofType(resources, "AWS::CloudWatch::CompositeAlarm").length * perMonth.compositeAlarm +
    ofType(resources, "AWS::CloudWatch::Dashboard").length * perMonth.dashboard +
    ofType(resources, "AWS::Logs::MetricFilter").length * perMonth.countedMetric +
    minutely.length * perMonth.minutelyRun +
    ofType(resources, "AWS::Route53::HealthCheck").length * perMonth.healthCheck
  );
}

test("a stage that nobody uses costs less than $13 a month, as docs/operations/looking.md says", () => {
  const staging = idleCost(synthesise("staging"));
  const largest = idleCost(synthesise("staging", { ...withGames("staging"), mailFrom: "no-reply@example.com" }));
  expect(largest).toBeLessThan(13);
  const text = readFileSync("docs/operations/looking.md", "utf8").replaceAll("\n", " ");
  expect(text).toContain(`A stage that nobody uses costs $${staging.toFixed(2)} a month`);
  expect(text).toContain(`With mails and games it costs $${largest.toFixed(2)}.`);
  const { domain } = withDomain("staging");
  const checked = idleCost(synthesise("staging", { ...withGames("staging"), domain, healthChecks: true }));
  const unchecked = idleCost(synthesise("staging", { ...withGames("staging"), domain }));
  expect(text).toContain(`Two \`healthChecks\` cost $${(checked - unchecked).toFixed(2)}, `);
});

test("the month that docs/operations/looking.md works out adds up, from what a stage costs that nobody uses", () => {
  const [, month = ""] = readFileSync("docs/operations/looking.md", "utf8").split("### A month, worked out");
  const numbers = [...month.matchAll(/^\| [^*|]+ \| ([\d.,]+) \| ([\d.]+) \| ([\d.]+) \|$/gm)].map((row) =>
    row.slice(1).map((text) => Number(text.replaceAll(",", ""))),
  );
  expect(numbers.length).toBeGreaterThan(6);
  for (const [amount = 0, price = 0, dollars = 0] of numbers) expect(amount * price).toBeCloseTo(dollars, 2);
  const sum = numbers.reduce((total, [, , dollars = 0]) => total + dollars, 0);
  expect(month).toContain(`| **together** | | | **${sum.toFixed(2)}** |`);
  const largest = idleCost(synthesise("staging", { ...withGames("staging"), mailFrom: "no-reply@example.com" }));
  expect(numbers[0]?.[2]).toBeCloseTo(largest, 2);
});
