import { expect, test } from "@jest/globals";
import { ofType, statementsOfRoles, synthesise } from "../../test/support/synthesis.ts";

/* The sweeper alone may delete, and it may do little else. */

const staging = synthesise("staging");

function statements(roleOf: RegExp) {
  return Object.entries(statementsOfRoles(staging)).flatMap(([role, own]) => (roleOf.test(role) ? own : []));
}

test("nobody else's role may delete a file or a manifest, and one deletes the packs that it unpacks", () => {
  const deleted = Object.entries(statementsOfRoles(staging)).flatMap(([role, own]) =>
    own
      .filter(({ Action }) => JSON.stringify(Action).includes("s3:Delete"))
      .flatMap(({ Resource }) => [Resource].flat().map((resource) => ({ role, resource: JSON.stringify(resource) })))
      .filter(({ resource }) => resource.includes('"Files')),
  );
  const others = deleted.filter(({ role }) => !role.startsWith("Sweep"));
  expect(others).toEqual([{ role: expect.anything(), resource: expect.stringContaining('"/packs/*/*/*/*"') }]);
  expect(deleted.length).toBeGreaterThan(others.length);
});

test("it changes items of projects and its own alone, deletes files and manifests, and reads manifests", () => {
  const own = statements(/^Sweep/);
  const actionsOn = (text: string) =>
    own.filter(({ Resource }) => JSON.stringify(Resource).includes(text)).flatMap(({ Action }) => Action);
  expect(actionsOn("/projects/*/files/*")).toEqual(["s3:AbortMultipartUpload", "s3:DeleteObject"]);
  expect(actionsOn("/proofs/*/*/*")).toEqual(["s3:AbortMultipartUpload", "s3:DeleteObject"]);
  expect(actionsOn("/projects/*/manifests/*.zst")).toEqual(["s3:DeleteObject", "s3:GetObject"]);
  const writes = own.filter(({ Action }) => [Action].flat().some((action) => /dynamodb:(?!Scan)/.test(action)));
  expect(writes).toMatchObject([
    { Condition: { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["PROJECT#*", "LEDGER#*", "SWEEP"] } } },
  ]);
});

test("it runs every 15 minutes, and ends before the next run", () => {
  const sweeper = ofType(staging, "AWS::Lambda::Function").find(({ Properties }) =>
    Properties.FunctionName?.endsWith("-sweep"),
  );
  expect(sweeper?.Properties).toMatchObject({ Timeout: 840, MemorySize: 1_024 });
  const rules = ofType(staging, "AWS::Events::Rule").map(({ Properties }) => Properties.ScheduleExpression);
  expect(rules).toContain("rate(15 minutes)");
});

test("three of its runs that are missing are reported, also if nothing is measured at all", () => {
  const alarm = ofType(staging, "AWS::CloudWatch::Alarm").find(
    ({ Properties }) => Properties.AlarmName === "svc-staging-monitoring-SweepNotRunning",
  )?.Properties;
  expect(alarm).toMatchObject({
    TreatMissingData: "missing",
    EvaluationPeriods: 3,
    DatapointsToAlarm: 3,
    Threshold: 1,
    ComparisonOperator: "GreaterThanOrEqualToThreshold",
  });
  const [expression, { MetricStat }] = alarm.Metrics;
  expect(expression.Expression).toBe("IF(runs >= 1, 0, 1)");
  expect(MetricStat).toMatchObject({ Metric: { MetricName: "Invocations" }, Period: 900, Stat: "Sum" });
  expect(staging[MetricStat.Metric.Dimensions[0].Value.Ref]?.Properties.FunctionName).toBe("svc-staging-sweep");
});

test("a stage may keep more or fewer releases", () => {
  const resources = synthesise("staging", { keptReleases: 5, keptReleaseDays: 30 });
  const [sweeper] = ofType(resources, "AWS::Lambda::Function").filter(({ Properties }) =>
    Properties.FunctionName?.endsWith("-sweep"),
  );
  expect(sweeper?.Properties.Environment.Variables).toMatchObject({ KEPT_RELEASES: "5", KEPT_DAYS: "30" });
});
