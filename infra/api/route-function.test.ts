import "../../programs/stack-options.ts";
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { z } from "zod";
import { kebabCase, type RouteName, routes } from "../../test/support/routes.ts";
import { withGames } from "../../test/support/synthesis/settings.ts";
import {
  functionOf,
  permissionsOf,
  type Resources,
  statementsOfFunction,
  synthesise,
} from "../../test/support/synthesis.ts";
import { bundleFolderOf } from "../bundle.ts";
import { environmentOf, settingsOf } from "../lambda/function-environment.ts";
import { FunctionRoles } from "../lambda/function-roles.ts";
import { readStage } from "../settings/stage.ts";
import { accessOf } from "../settings/stage-option.ts";
import { stages } from "../stages.ts";

const staging = synthesise("staging");

const names = Object.keys(routes) as RouteName[];

test.each(names)("%s has the function that its route needs, and only its own environment", (name) => {
  const [, { Properties }] = functionOf(staging, name);
  expect(Properties).toMatchObject({
    Runtime: "nodejs24.x",
    Architectures: ["arm64"],
    Handler: "index.handler",
    TracingConfig: { Mode: "Active" },
    LoggingConfig: { LogFormat: "JSON", ApplicationLogLevel: "INFO", SystemLogLevel: "WARN" },
  });
  const { memoryMebibytes = 1_024, timeoutSeconds = 15 } = accessOf(name);
  expect(Properties).toMatchObject({ MemorySize: memoryMebibytes, Timeout: timeoutSeconds });
  expect(timeoutSeconds).toBeLessThan(30);
  const code = readFileSync(`${bundleFolderOf(kebabCase(name))}/index.mjs`, "utf8");
  expect(Object.keys(Properties.Environment.Variables).toSorted()).toEqual(
    [
      ...Object.keys(environmentOf(readStage("staging", stages), settingsOf(name))),
      ...["TABLE_NAME", "BUCKET_NAME"].filter((variable) => code.includes(variable)),
    ].toSorted(),
  );
});

test("functions have one role if their permissions are the same, and only then", () => {
  const rolesOf = (resources: Resources, routes: readonly RouteName[]) =>
    routes.map((name) => functionOf(resources, name)[1].Properties.Role["Fn::GetAtt"][0]);
  const same = ["getHealth", "getOpenApi", "getRoot"] as const;
  const [role, ...others] = rolesOf(staging, same);
  expect(others).toEqual([role, role]);
  const { Description } = staging[role]?.Properties ?? {};
  expect(Description).toMatch(/^svc: .*getHealth.*getOpenApi/);
  for (const name of names.filter((each) => !Description.includes(each)))
    expect(rolesOf(staging, [name])).not.toContain(role);
  const permissions = names.map((name) => JSON.stringify(statementsOfFunction(staging, functionOf(staging, name)[1])));
  expect(new Set(rolesOf(staging, names)).size).toBe(new Set(permissions).size);
});

test("a role is named by its permissions, so that a function whose permissions change leaves those of others", () => {
  const rolesOf = (permissions: Record<string, string[]>) => {
    const stack = new Stack();
    const roles = new FunctionRoles(stack, "Roles");
    for (const [name, actions] of Object.entries(permissions))
      roles.roleFor(name, [new PolicyStatement({ actions, resources: ["*"] })]);
    return Template.fromStack(stack).findResources("AWS::IAM::Role") as Resources;
  };
  const before = rolesOf({ a: ["s3:GetObject"], b: ["s3:GetObject"] });
  const after = rolesOf({ a: ["s3:PutObject"], b: ["s3:GetObject"] });
  const [id = ""] = Object.keys(before);
  expect(Object.keys(before)).toEqual([id]);
  expect(Object.keys(after)).toHaveLength(2);
  expect(after[id]?.Properties).toEqual({ ...before[id]?.Properties, Description: "svc: b" });
});

test("by default a function is not traced, and may not send traces either", () => {
  const resources = synthesise("staging", { tracing: undefined });
  expect(functionOf(resources, "getMe")[1].Properties).not.toHaveProperty("TracingConfig");
  expect(permissionsOf(resources, "getMe").filter((permission) => permission.startsWith("xray:"))).toEqual([]);
});

test("what the stage says about ID tokens reaches the functions", () => {
  const identityProvider = {
    issuer: "https://id.example.com",
    audience: "svc",
    jwksUri: "https://id.example.com/jwks",
    trustedAudiences: ["project-1", "account"],
    authorizedParties: ["android"],
    tenant: "players",
    tokenLifetimeHours: 1.5,
    signInMinutes: 15,
    acrValues: ["phr", "https://id.example.com/strong"],
  };
  const [, { Properties }] = functionOf(synthesise("staging", { identityProvider }), "createToken");
  expect(Properties.Environment.Variables).toMatchObject({
    IDP_TRUSTED_AUDIENCES: "project-1,account",
    IDP_AUTHORIZED_PARTIES: "android",
    IDP_TENANT: "players",
    IDP_TOKEN_LIFETIME_HOURS: "1.5",
    IDP_SIGN_IN_MINUTES: "15",
    IDP_ACR_VALUES: "phr,https://id.example.com/strong",
  });
});

/** The routes whose responses the contract gives this property. */
function showing(property: string): RouteName[] {
  return names.filter((name) =>
    Object.values(routes[name].responses).some(
      (schema) => schema && JSON.stringify(z.toJSONSchema(schema)).includes(`"${property}"`),
    ),
  );
}

test("functions whose responses show where projects are played and reported are told so, if the stage says it", () => {
  const told = (resources: Resources, name: RouteName) =>
    functionOf(resources, name)[1].Properties.Environment.Variables;
  const urls = { GAMES_DOMAIN: "github.io", REPORT_URL: "https://example.com/report?game={slug}" };
  const resources = synthesise("staging", { ...withGames("staging"), reportUrl: urls.REPORT_URL });
  expect(showing("report_url")).toContain("exportMe");
  for (const name of showing("play_url"))
    expect(told(resources, name)).toMatchObject({ GAMES_DOMAIN: urls.GAMES_DOMAIN });
  for (const name of showing("report_url")) expect(told(resources, name)).toMatchObject(urls);
  expect(told(resources, "getMe")).not.toHaveProperty("GAMES_DOMAIN");
  expect(told(resources, "getMe")).not.toHaveProperty("REPORT_URL");
  expect(told(synthesise("staging", { reportUrl: undefined }), "getProject")).not.toHaveProperty("REPORT_URL");
});

test("the functions that count what is stored, or tell it, are told the stage's quota", () => {
  const quota = { projectMebibytes: 1, projectObjects: 2, accountMebibytes: 3, accountObjects: 4 };
  const resources = synthesise("staging", { quota });
  const given = (variable: string) =>
    names.filter((name) => functionOf(resources, name)[1].Properties.Environment.Variables[variable]).toSorted();
  expect(given("BYTES_PER_PROJECT")).toEqual(["createRelease", "createTelemetryGrant", "getMe", "updateMe"]);
  expect(given("BYTES_PER_ACCOUNT")).toEqual([
    "acceptInvitation",
    ...["createRelease", "createTelemetryGrant", "getMe", "updateMe"],
  ]);
  expect(functionOf(resources, "getMe")[1].Properties.Environment.Variables).toMatchObject({
    BYTES_PER_PROJECT: "1048576",
    OBJECTS_PER_PROJECT: "2",
    BYTES_PER_ACCOUNT: "3145728",
    OBJECTS_PER_ACCOUNT: "4",
  });
});

test("the functions that send people to the dashboard are told its origin, if the stage has one", () => {
  const originIn = (resources: Resources) =>
    functionOf(resources, "requestDeviceCode")[1].Properties.Environment.Variables.DASHBOARD_ORIGIN;
  expect(originIn(staging)).toBe("https://dashboard.staging.example.com");
  expect(originIn(synthesise("staging", { dashboard: undefined }))).toBeUndefined();
});

test("the functions that programs read how to publish from are told where the command line is, if the stage serves it", () => {
  const told = (resources: Resources, name: RouteName) =>
    functionOf(resources, name)[1].Properties.Environment.Variables.COMMAND_LINE_URL;
  for (const name of ["getAgentGuide", "getAgentSkill"] as const) {
    expect(told(staging, name)).toBe("https://dashboard.staging.example.com/svc.tgz");
    expect(told(synthesise("staging", { dashboard: undefined }), name)).toBeUndefined();
  }
});
