import { expect, test } from "@jest/globals";
import { type RouteName, routes } from "../contract/routes.ts";
import { type Access, access } from "../functions/access.ts";
import { functionOf, ofType, synthesise } from "../test/support/synthesis.ts";

const staging = synthesise("staging");

const names = Object.keys(routes) as RouteName[];

/** What a route's function may do on which part of the stack, in the order of the words. */

function permissionsOf(name: RouteName): string[] {
  const role = functionOf(staging, name)[1].Properties.Role["Fn::GetAtt"][0];
  const policies = ofType(staging, "AWS::IAM::Policy").filter(({ Properties }) => Properties.Roles[0].Ref === role);
  expect(staging[role]?.Properties).not.toHaveProperty("ManagedPolicyArns");
  return policies
    .flatMap(({ Properties }) => Properties.PolicyDocument.Statement)
    .flatMap(({ Effect, Action, Resource }) =>
      [Action].flat().map((action) => `${Effect} ${action} ${nameOf(Resource)}`),
    )
    .toSorted();
}

/** The part of the stack that a policy's resource is, without the digest of its logical id. */

function nameOf(
  resource: { "Fn::GetAtt"?: [string]; "Fn::Join"?: [string, [{ "Fn::GetAtt": [string] }, string]] } | string,
): string {
  if (typeof resource === "string") return resource;
  const [part, rest] = resource["Fn::Join"]?.[1] ?? [resource, ""];
  return `${part["Fn::GetAtt"]?.[0].slice(0, -8)}${rest}`;
}

test.each(names)("%s has the function that its route needs and the environment of it alone", (name) => {
  const [, { Properties }] = functionOf(staging, name);
  expect(Properties).toMatchObject({
    Runtime: "nodejs24.x",
    Architectures: ["arm64"],
    Handler: "index.handler",
    TracingConfig: { Mode: "Active" },
    LoggingConfig: { LogFormat: "JSON", ApplicationLogLevel: "INFO", SystemLogLevel: "WARN" },
  });
  expect(Properties.Timeout).toBeLessThan(30);
  const { table, bucket }: Access = access[name];
  expect(Object.keys(Properties.Environment.Variables).toSorted()).toEqual(
    [
      ...["SVC_STAGE", "IDP_ISSUER", "IDP_AUDIENCE", "IDP_JWKS_URI"],
      ...(table ? ["TABLE_NAME"] : []),
      ...(bucket ? ["BUCKET_NAME"] : []),
    ].toSorted(),
  );
});

test.each(names)(
  "%s may do what functions/access.ts declares, write its log, send traces, and nothing else",
  (name) => {
    const { table = [], bucket = [] }: Access = access[name];
    const expected = [
      "Allow logs:CreateLogStream FunctionLog",
      "Allow logs:PutLogEvents FunctionLog",
      "Allow xray:PutTelemetryRecords *",
      "Allow xray:PutTraceSegments *",
      ...table.map((action) => `Allow ${action} Table`),
      ...bucket.map((action) => (action === "s3:ListBucket" ? `Allow ${action} Files` : `Allow ${action} Files/*`)),
    ];
    expect(permissionsOf(name)).toEqual(expected.toSorted());
  },
);
