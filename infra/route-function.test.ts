import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { z } from "zod";
import { type RouteName, routes } from "../contract/routes.ts";
import { type Access, access } from "../functions/access.ts";
import { functionOf, permissionsOf, type Resources, synthesise } from "../test/support/synthesis.ts";

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
  expect(Properties.Timeout).toBeLessThan(30);
  const { table, files, manifests }: Access = access[name];
  expect(Object.keys(Properties.Environment.Variables).toSorted()).toEqual(
    [
      ...["SVC_STAGE", "IDP_ISSUER", "IDP_AUDIENCE", "IDP_JWKS_URI"],
      ...(["getAuthorizationServer", "requestDeviceCode"].includes(name) ? ["DASHBOARD_ORIGIN"] : []),
      ...(routes[name].path.startsWith("/projects") || name === "exportMe" ? ["REPORT_URL"] : []),
      ...(table ? ["TABLE_NAME"] : []),
      ...((files ?? manifests) ? ["BUCKET_NAME"] : []),
    ].toSorted(),
  );
});

test.each(names)(
  "%s may do what functions/access.ts declares, write its log, send traces, and nothing else",
  (name) => {
    const { table = [], files = [], manifests = [] }: Access = access[name];
    const expected = [
      "logs:CreateLogStream FunctionLog",
      "logs:PutLogEvents FunctionLog",
      "xray:PutTelemetryRecords *",
      "xray:PutTraceSegments *",
      ...table.map((action) => `${action} Table`),
      ...files.map((action) =>
        action === "s3:ListBucket" ? `${action} Files of projects/*/files/` : `${action} Files/projects/*/files/*`,
      ),
      ...manifests.map((action) => `${action} Files/projects/*/manifests/*.zst`),
    ];
    expect(permissionsOf(staging, name)).toEqual(expected.toSorted());
  },
);

test("without tracing a function may not send traces either", () => {
  const resources = synthesise("staging", { tracing: false });
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
  };
  const [, { Properties }] = functionOf(synthesise("staging", { identityProvider }), "createToken");
  expect(Properties.Environment.Variables).toMatchObject({
    IDP_TRUSTED_AUDIENCES: "project-1,account",
    IDP_AUTHORIZED_PARTIES: "android",
    IDP_TENANT: "players",
    IDP_TOKEN_LIFETIME_HOURS: "1.5",
    IDP_SIGN_IN_MINUTES: "15",
  });
  const read = readFileSync("functions/environment.ts", "utf8");
  for (const name of Object.keys(Properties.Environment.Variables)) expect(read).toContain(`"${name}"`);
});

/** The routes whose responses the contract gives this property. */
function showing(property: string): RouteName[] {
  return names.filter((name) =>
    Object.values(routes[name].responses).some(
      (schema) => schema && JSON.stringify(z.toJSONSchema(schema)).includes(`"${property}"`),
    ),
  );
}

test("functions whose responses show where projects are played and reported are told so, where the stage says it", () => {
  const told = (resources: Resources, name: RouteName) =>
    functionOf(resources, name)[1].Properties.Environment.Variables;
  const urls = { GAMES_DOMAIN: "games.example.net", REPORT_URL: "https://example.com/report?game={slug}" };
  const resources = synthesise("staging", { gamesDomain: urls.GAMES_DOMAIN, reportUrl: urls.REPORT_URL });
  const showingUrls = [...new Set([...showing("play_url"), ...showing("report_url")])];
  expect(showingUrls).toContain("exportMe");
  for (const name of showingUrls) expect(told(resources, name)).toMatchObject(urls);
  expect(told(resources, "getMe")).not.toHaveProperty("GAMES_DOMAIN");
  expect(told(resources, "getMe")).not.toHaveProperty("REPORT_URL");
  expect(told(synthesise("staging", { reportUrl: undefined }), "getProject")).not.toHaveProperty("REPORT_URL");
});

test("the functions that count what is stored, or tell it, are told the stage's quota", () => {
  const quota = { projectMebibytes: 1, projectObjects: 2, accountMebibytes: 3, accountObjects: 4 };
  const resources = synthesise("staging", { quota });
  const given = names.filter(
    (name) => functionOf(resources, name)[1].Properties.Environment.Variables.BYTES_PER_PROJECT,
  );
  expect(given.toSorted()).toEqual(["acceptOffer", "createRelease", "getMe"]);
  expect(functionOf(resources, "getMe")[1].Properties.Environment.Variables).toMatchObject({
    BYTES_PER_PROJECT: "1048576",
    OBJECTS_PER_PROJECT: "2",
    BYTES_PER_ACCOUNT: "3145728",
    OBJECTS_PER_ACCOUNT: "4",
  });
  const read = readFileSync("functions/environment.ts", "utf8");
  for (const name of ["BYTES", "OBJECTS"])
    for (const whose of ["PROJECT", "ACCOUNT"]) expect(read).toContain(`"${name}_PER_${whose}"`);
});

test("the functions that send people to the dashboard are told its origin, where the stage has one", () => {
  const originIn = (resources: Resources) =>
    functionOf(resources, "requestDeviceCode")[1].Properties.Environment.Variables.DASHBOARD_ORIGIN;
  expect(originIn(staging)).toBe("https://dashboard.staging.example.com");
  expect(originIn(synthesise("staging", { dashboard: undefined }))).toBeUndefined();
});

test("every variable of a function is one that functions/environment.ts reads", () => {
  const read = readFileSync("functions/environment.ts", "utf8");
  const given = names.flatMap((name) => Object.keys(functionOf(staging, name)[1].Properties.Environment.Variables));
  for (const name of new Set(given)) expect(read).toContain(`"${name}"`);
});
