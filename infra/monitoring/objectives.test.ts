import { expect, test } from "@jest/globals";
import { withGames } from "../../test/support/synthesis/settings.ts";
import {
  ofType,
  only,
  type Resource,
  type Resources,
  synthesise,
  synthesiseEdgeAlarms,
} from "../../test/support/synthesis.ts";

/*
 * The objectives of a stage: which requests count as bad, and when the alarms begin. The numbers are written here once more.
 */

const games = withGames("staging");
const staging = synthesise("staging", games);

const properties = (resources: Resources, name: string): Resource["Properties"] => {
  const all = ["AWS::CloudWatch::Alarm", "AWS::CloudWatch::CompositeAlarm"].flatMap((type) => ofType(resources, type));
  return all.find(({ Properties }) => Properties.AlarmName.replace("monitoring-", "") === `svc-staging-${name}`)
    ?.Properties;
};

/** The value of an alarm's expression with these values of its metrics, computed as CloudWatch does. */
function rateWith({ Metrics }: Resource["Properties"], values: Readonly<Record<string, number | undefined>>): number {
  const [{ Expression }] = Metrics.filter((metric: Resource["Properties"]) => metric.Expression !== undefined);
  const code = Expression.replace(/\bIF\(/g, "choose(").replace(/\bFILL\(/g, "fill(");
  const names = Metrics.flatMap(({ Id, MetricStat }: Resource["Properties"]) => (MetricStat ? [Id] : []));
  const choose = (isTrue: boolean, one: number, other: number) => (isTrue ? one : other);
  const fill = (value: number | undefined, other: number) => value ?? other;
  const run = new Function("choose", "fill", ...names, `return ${code}`);
  return run(choose, fill, ...names.map((name: string) => values[name.replace(/\d+$/, "")]));
}

test.each(["Api", "Games"])("the alarm of the objective of %s begins if six hours and half an hour burn", (name) => {
  const rule = JSON.stringify(properties(staging, `${name}Objective`).AlarmRule);
  expect(rule.replaceAll(/[^A-Z]/g, "")).not.toContain("OR");
  const parts = [...rule.matchAll(/"Fn::GetAtt":\["(\w+)","Arn"\]/g)].map(
    ([, id = ""]) => staging[id]?.Properties.AlarmName,
  );
  expect(parts).toEqual(["Long", "Short"].map((window) => `svc-staging-monitoring-${name}Objective${window}Window`));
  expect(rule.match(/ALARM\(/g)).toHaveLength(2);
  expect(rule).toContain(" AND ");
  for (const [window, seconds] of [
    ["LongWindow", 21_600],
    ["ShortWindow", 1_800],
  ] as const) {
    const alarm = properties(staging, `${name}Objective${window}`);
    const periods = alarm.Metrics.flatMap(({ MetricStat }: Resource["Properties"]) => MetricStat?.Period ?? []);
    expect(new Set(periods)).toEqual(new Set([seconds]));
    expect(alarm).toMatchObject({ Threshold: 6, EvaluationPeriods: 1, TreatMissingData: "notBreaching" });
    // The parts of the alarm tell nobody.
    for (const actions of ["AlarmActions", "OKActions"]) expect(alarm).not.toHaveProperty(actions);
  }
});

test.each([
  ["no bad request", { slow: 0, failed: 0, requests: 100_000 }, 0],
  ["one in a thousand, as the objective allows", { slow: 60, failed: 40, requests: 100_000 }, 1],
  ["six in a thousand", { slow: 600, failed: 0, requests: 100_000 }, 6],
  ["failures without a slow request, of which the log then has no metric", { failed: 600, requests: 100_000 }, 6],
  ["nine of nine bad", { slow: 9, failed: 0, requests: 9 }, 0],
  ["ten of ten bad", { slow: 5, failed: 5, requests: 10 }, 1_000],
])("the API with %s", (_, values, rate) => {
  expect(rateWith(properties(staging, "ApiObjectiveLongWindow"), values)).toBeCloseTo(rate, 6);
});

test.each([
  ["one in two thousand, as the objective allows", { percent: 0.05, requests: 100_000 }, 1],
  ["three in a thousand", { percent: 0.3, requests: 100_000 }, 6],
  ["every second of eighteen", { percent: 50, requests: 18 }, 0],
])("the games with %s", (_, values, rate) => {
  expect(rateWith(properties(staging, "GamesObjectiveLongWindow"), values)).toBeCloseTo(rate, 6);
});

test("a request is slow from a second on, if it did not fail and its route has the time-out of most", () => {
  const filters = ofType(staging, "AWS::Logs::MetricFilter").map(({ Properties }) => Properties);
  const { FilterPattern: pattern, LogGroupName } = filters.find(
    ({ MetricTransformations: [{ MetricName }] }) => MetricName === "SlowRequests",
  );
  const [accessLog] = Object.keys(staging).filter((id) => /^AccessLog[0-9A-F]{8}$/.test(id));
  expect(LogGroupName).toEqual({ Ref: accessLog });
  expect(pattern.length).toBeLessThanOrEqual(1_024);
  // CloudWatch takes two regular expressions in a filter, without parentheses and braces.
  const [, latency = "", status = ""] =
    /latency_ms = %([^%(){}]+)%\) && \(\$\.status = %([^%(){}]+)%\)/.exec(pattern) ?? [];
  expect(pattern.match(/%/g)).toHaveLength(4);
  const isSlow = (milliseconds: number) => new RegExp(latency).test(String(milliseconds));
  expect([0, 9, 999, 1_000, 1_001, 29_000].map(isSlow)).toEqual([false, false, false, true, true, true]);
  expect(["200", "404", "429", "500", "503"].map((code) => new RegExp(status).test(code))).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
  expect([...pattern.matchAll(/\(\$\.route != "([^"]+)"\)/g)].map(([, route]) => route).toSorted()).toEqual([
    "ANY /projects/{slug}/invitations/{invitation}/acceptance",
    "ANY /projects/{slug}/releases/{id}/packs",
    "ANY /projects/{slug}/releases/{id}/preview",
    "ANY /projects/{slug}/releases/{id}/publish",
    "ANY /projects/{slug}/releases/{id}/schedule",
    "ANY /projects/{slug}/releases/{id}/uploads/{sha256}",
    "DELETE /team",
    "POST /projects/{slug}/releases",
  ]);
});

test("the games of a stage in another region are watched in us-east-1, and its dashboard shows the metrics of there", () => {
  const elsewhere = { ...games, region: "eu-central-1", dashboard: undefined };
  expect(properties(synthesise("staging", elsewhere), "GamesObjective")).toBeUndefined();
  expect(properties(synthesiseEdgeAlarms("staging", elsewhere), "GamesObjective")).toBeDefined();
  const {
    "Fn::Join": [, parts],
  } = only(synthesise("staging", elsewhere), "AWS::CloudWatch::Dashboard").Properties.DashboardBody;
  const text = parts.map((part: unknown) => (typeof part === "string" ? part : "x")).join("");
  const shown = JSON.parse(text).widgets.flatMap(({ properties }: Resource["Properties"]) => properties.metrics ?? []);
  const ofGames = shown.filter(([namespace]: unknown[]) => namespace === "AWS/CloudFront");
  expect(ofGames.length).toBe(4);
  for (const metric of ofGames) expect(metric.at(-1).region).toBe("us-east-1");
});
