import { expect, test } from "@jest/globals";
import { everyOption, withDomain } from "../../test/support/synthesis/settings.ts";
import { ofType, type Resources, synthesise, synthesiseEdgeAlarms } from "../../test/support/synthesis.ts";
import { folder } from "../smoke/smoke-games.ts";

const checks = (resources: Resources) =>
  ofType(resources, "AWS::Route53::HealthCheck").map(({ Properties }) => Properties.HealthCheckConfig);
const places = (resources: Resources) =>
  checks(resources).map(({ FullyQualifiedDomainName: host, ResourcePath: path }) => `${host}${path}`);
const api = "api.example.com/projects/svc-smoke";
const game = "svc-smoke.github.io/";

const here = everyOption("staging");
const elsewhere = { ...here, ...withDomain("staging", "eu-west-3") };
const withoutGames = { ...elsewhere, gamesDomain: undefined };

test.each<[string, Resources, readonly string[]]>([
  ["the stage's own stack in us-east-1", synthesise("staging", here), [api, game]],
  ["the own stack of a stage elsewhere", synthesise("staging", elsewhere), []],
  ["its stack in us-east-1", synthesiseEdgeAlarms("staging", elsewhere), [api, game]],
  ["that of one without games", synthesiseEdgeAlarms("staging", withoutGames), [api]],
  ["a stage that does not ask for it", synthesise("staging", { ...here, healthChecks: undefined }), []],
])("checks from outside are where Route 53 writes its metrics, once: %s", (_, resources, expected) => {
  expect(places(resources)).toEqual(expected);
});

test("a check needs the smoke test's own words from three regions, over TLS, and its alarm is told the topic", () => {
  const resources = synthesise("staging", here);
  for (const check of checks(resources))
    expect(check).toMatchObject({
      Type: "HTTPS_STR_MATCH",
      EnableSNI: true,
      FailureThreshold: 3,
      RequestInterval: 30,
      Regions: ["ap-northeast-1", "eu-west-1", "us-east-1"],
    });
  expect(checks(resources).map(({ SearchString }) => SearchString)).toEqual(['"svc-smoke"', "<title>smoke</title>"]);
  expect(folder["index.html"]?.toString()).toContain("<title>smoke</title>");
  const [topic] = Object.keys(resources).filter((id) => resources[id]?.Type === "AWS::SNS::Topic");
  const alarms = ofType(resources, "AWS::CloudWatch::Alarm").filter(({ Properties }) =>
    /-(?:Api|Games)Unreachable$/.test(Properties.AlarmName),
  );
  expect(alarms.map(({ Properties }) => Properties.AlarmActions)).toEqual([[{ Ref: topic }], [{ Ref: topic }]]);
  const metrics = JSON.stringify(alarms.map(({ Properties }) => Properties.Metrics));
  for (const [id, { Type }] of Object.entries(resources))
    if (Type === "AWS::Route53::HealthCheck") expect(metrics).toContain(`{"Fn::GetAtt":["${id}","HealthCheckId"]}`);
  expect(metrics).toContain("IF(healthy >= 1, 0, 1)");
});
