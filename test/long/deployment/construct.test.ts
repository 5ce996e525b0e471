import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { readDocument, root } from "../../support/documents.ts";
import type { Resource, Resources } from "../../support/synthesis.ts";

/* The app of docs/operations/construct.md, in an empty folder into which the package was installed. */

const folder = mkdtempSync(join(tmpdir(), "svc-construct-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const [, app = ""] = /^```ts\n(.*?)^```/ms.exec(readDocument("docs/operations/construct.md")) ?? [];

function run(cwd: string, program: string, ...args: string[]): string {
  return execFileSync(program, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}

/** The resources that the app has with these flags in its cdk.json. */
function synthesised(flags: object): Resources {
  const env = { ...process.env, CDK_OUTDIR: join(folder, "cdk.out"), CDK_CONTEXT_JSON: JSON.stringify(flags) };
  execFileSync(process.execPath, ["app.ts"], { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] });
  return JSON.parse(readFileSync(join(folder, "cdk.out/Games.template.json"), "utf8")).Resources;
}

let resources: Resources;

beforeAll(() => {
  const [{ filename }] = JSON.parse(run(root, "npm", "pack", "-w", "infra", "--json", "--pack-destination", folder));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  // The peers, which are large, are those of the repository.
  run(folder, "npm", "install", "--prefer-offline", "--ignore-scripts", "--legacy-peer-deps", join(folder, filename));
  mkdirSync(join(folder, "node_modules/@types"));
  for (const name of ["aws-cdk-lib", "constructs", "@types/node"])
    symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name));
  writeFileSync(join(folder, "app.ts"), app);
  resources = synthesised({});
}, 600_000);

const find = (type: string, id: RegExp): Resource => {
  const [[, found] = []] = Object.entries(resources).filter(([name, { Type }]) => Type === type && id.test(name));
  if (found === undefined) throw new Error(`No ${type} is called ${id}`);
  return found;
};

test("the app has fifteen lines at most, and its types are right", () => {
  expect(app.trim().split("\n").filter(Boolean).length).toBeLessThanOrEqual(15);
  const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--target", "es2022"];
  run(folder, process.execPath, join(root, "node_modules/typescript/bin/tsc"), ...options, "app.ts");
});

test("its alarm tells the service's topic, which takes messages of alarms of the stack", () => {
  const { AlarmActions, Dimensions } = find("AWS::CloudWatch::Alarm", /^ManyTokens/).Properties;
  expect(resources[AlarmActions[0].Ref]?.Type).toBe("AWS::SNS::Topic");
  expect(resources[Dimensions[0].Value.Ref]?.Properties.FunctionName).toBe("svc-production-create-token");
  const policy = JSON.stringify(find("AWS::SNS::TopicPolicy", /^SvcAlarms/));
  for (const alarm of ["svc-production-*", "Games-*"])
    expect(policy).toContain(`arn:aws:cloudwatch:eu-central-1:111111111111:alarm:${alarm}`);
});

test("its queue gets notices of the service's bus", () => {
  const { EventBusName, Targets } = find("AWS::Events::Rule", /^Deletions/).Properties;
  expect(resources[EventBusName.Ref]).toMatchObject({
    Type: "AWS::Events::EventBus",
    Properties: { Name: "svc-production" },
  });
  expect(resources[Targets[0].Arn["Fn::GetAtt"][0]]?.Type).toBe("AWS::SQS::Queue");
});

test("the service does not depend on the flags of the app, but for how policies are written", () => {
  const { context } = JSON.parse(readFileSync(join(root, "cdk.json"), "utf8")) as { context: Record<string, unknown> };
  const flags = Object.entries(context).filter(([name, value]) => name.startsWith("@aws-cdk/") && value === true);
  expect(flags.length).toBeGreaterThan(15);
  const withoutPolicies = (all: Resources) =>
    JSON.parse(JSON.stringify(all, (key, value) => (/Polic|Description/.test(key) ? undefined : value)));
  expect(withoutPolicies(synthesised(Object.fromEntries(flags)))).toEqual(withoutPolicies(resources));
  const off = flags.filter(([name]) => name.startsWith("@aws-cdk/aws-")).map(([name]) => [name, false]);
  expect(withoutPolicies(synthesised(Object.fromEntries(off)))).toEqual(withoutPolicies(resources));
});
