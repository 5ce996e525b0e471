import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App } from "aws-cdk-lib";
import { kebabCase, type RouteName, routes } from "../../contract/api/routes.ts";
import { configurationPath } from "../../dashboard/site.ts";
import { ApiEdgeStack } from "../../infra/api-edge-stack.ts";
import { edgeRegion } from "../../infra/domains.ts";
import { EdgeAlarmsStack } from "../../infra/games-alarms.ts";
import { GamesLogStack } from "../../infra/games-log-stack.ts";
import { GamesOriginStack } from "../../infra/games-origin-stack.ts";
import { subscribers } from "../../infra/notice-mails.ts";
import { PipelineStack } from "../../infra/pipeline-stack.ts";
import { schedules } from "../../infra/schedules.ts";
import { type BundleName, ServiceStack } from "../../infra/service-stack.ts";
import { hasApiEdge, readStage, type Stage } from "../../infra/stage.ts";
import * as stageStacks from "../../infra/stage-stacks.ts";
import { stages } from "../../infra/stages.ts";

const cdk = JSON.parse(readFileSync("cdk.json", "utf8"));

/** A resource of a synthesised template. */
export interface Resource {
  readonly Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: a template is whatever JSON CloudFormation takes
  readonly Properties: any;
  readonly DependsOn?: readonly string[];
  readonly DeletionPolicy?: string;
}

export type Resources = Readonly<Record<string, Resource>>;

/** An app as `cdk` makes it, for stacks whose bundles are one line each. */
export interface TestApp {
  readonly app: App;
  /** Where the bundle of the function of a route, schedule or subscriber is. */
  readonly code: (name: BundleName) => string;
  /** Where a page is that has what the template depends on. */
  readonly dashboard: string;
  /** What rules have found in the synthesised app, of every severity. */
  findings(): unknown[];
  /** Removes bundles and output. */
  dispose(): void;
}

/** @param rules whether CloudFormation's own rules are run, which takes two seconds */
export function createApp({ rules = false } = {}): TestApp {
  const folder = mkdtempSync(join(tmpdir(), "svc-synthesis-"));
  for (const route of [...Object.keys(routes), ...schedules, ...subscribers, "games-origin"]) {
    mkdirSync(join(folder, route));
    writeFileSync(join(folder, route, "index.mjs"), `export const handler = () => ${JSON.stringify(route)};\n`);
  }
  const dashboard = join(folder, "dashboard");
  mkdirSync(dashboard);
  writeFileSync(join(dashboard, "index.html"), "<!doctype html>");
  const app = new App({
    context: { ...cdk.context, "@aws-cdk/core:validateAgainstDefaultRules": rules },
    builtinCloudFormationValidation: rules,
    outdir: join(folder, "cdk.out"),
  });
  const report = join(folder, "cdk.out/validation-report.json");
  return {
    app,
    code: (route) => join(folder, route),
    dashboard,
    findings: () =>
      JSON.parse(readFileSync(report, "utf8")).pluginReports.flatMap(
        ({ violations }: { violations: unknown[] }) => violations,
      ),
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Adds every stack that the example stages can have, with every option. */
export function addEveryStack(made: TestApp): void {
  for (const name of Object.keys(stages)) {
    const stage = readStage(name, { [name]: { ...stages[name], ...everyOption(name) } });
    addStacksOf(made, stage);
    new PipelineStack(made.app, stage);
    if (stage.region === edgeRegion) new EdgeAlarmsStack(made.app, stage);
  }
}

/** Adds the stacks of a stage, without that of its pipeline, and names them in the order in which they are deployed. */
export function addStacksOf({ app, code, dashboard }: TestApp, stage: Stage): string[] {
  return stageStacks.addStacksOf(app, { stage, code, dashboard }).map(({ stackName }) => stackName);
}

/** The resources of a stage's template by their logical ids, with some values of its configuration changed. */
export function synthesise(stageName: string, changes: object = {}): Resources {
  const { app, code, dashboard, dispose } = createApp();
  try {
    const stage = readStage(stageName, { [stageName]: { ...stages[stageName], ...changes } });
    const { stackName } = new ServiceStack(app, { stage, code, dashboard });
    return app.synth().getStackByName(stackName).template.Resources;
  } finally {
    dispose();
  }
}

/** What the dashboard of a stage reads, as it is copied into its bucket; what the deployment alone knows is a marker. */
export function dashboardConfiguration(stageName: string, changes: object = {}): object {
  const { app, code, dashboard, dispose } = createApp();
  try {
    const stage = readStage(stageName, { [stageName]: { ...stages[stageName], ...changes } });
    new ServiceStack(app, { stage, code, dashboard });
    const { directory } = app.synth();
    const [file = ""] = globSync(`asset.*${configurationPath}`, { cwd: directory });
    return JSON.parse(readFileSync(join(directory, file), "utf8"));
  } finally {
    dispose();
  }
}

/** The resources of the stack in us-east-1 that a stage with a games' edge has beside its own. */
export function synthesiseGamesOrigin(stageName: string, code = "1"): Resources {
  const { app, code: folderOf, dispose } = createApp();
  try {
    writeFileSync(join(folderOf("games-origin"), "index.mjs"), code);
    const stage = readStage(stageName, { [stageName]: { ...stages[stageName], ...withGames(stageName) } });
    const { stackName } = new GamesOriginStack(app, { stage, code: folderOf("games-origin") });
    return app.synth().getStackByName(stackName).template.Resources;
  } finally {
    dispose();
  }
}

/** The resources of the stack in us-east-1 that delivers the log of a stage's games. */
export function synthesiseGamesLog(stageName: string): Resources {
  const { app, dispose } = createApp();
  try {
    const stage = readStage(stageName, { [stageName]: { ...stages[stageName], ...withGames(stageName) } });
    const { stackName } = new GamesLogStack(app, stage);
    return app.synth().getStackByName(stackName).template.Resources;
  } finally {
    dispose();
  }
}

/** The resources of the stack in us-east-1 that watches the games of a stage in another region. */
export function synthesiseEdgeAlarms(stageName: string, changes: object = withGames(stageName)): Resources {
  const { app, dispose } = createApp();
  try {
    const stage = readStage(stageName, { [stageName]: { ...stages[stageName], ...changes } });
    const { stackName } = new EdgeAlarmsStack(app, stage);
    return app.synth().getStackByName(stackName).template.Resources;
  } finally {
    dispose();
  }
}

/** The resources of the stack in us-east-1 that stands before the API. */
export function synthesiseApiEdge(stageName: string, changes: object = {}): Resources {
  const { app, dispose } = createApp();
  try {
    const stage = readStage(stageName, {
      [stageName]: { ...stages[stageName], ...withApiEdge(stageName), ...changes },
    });
    if (!hasApiEdge(stage)) throw new Error("The stage has no apiEdge");
    const { stackName } = new ApiEdgeStack(app, stage);
    return app.synth().getStackByName(stackName).template.Resources;
  } finally {
    dispose();
  }
}

/** An authority that has issued nothing, until 2126. */
const authority = `-----BEGIN CERTIFICATE-----
MIIBdjCCARugAwIBAgIUVf++HKAqe0QITaCiPva7svA3BqUwCgYIKoZIzj0EAwIw
DzENMAsGA1UEAwwEdGVzdDAgFw0yNjExMjMwNzMzNTFaGA8yMTI2MTAzMDA3MzM1
MVowDzENMAsGA1UEAwwEdGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABASF
Xr+oqGwJiwkXK4xI/l6ge4XcllHn+imLwRohk2fYtjCyZ0dAtWIuDJTLphr6+pnp
voVuh1/vxGNBWl2XHWyjUzBRMB0GA1UdDgQWBBSl7K/YELqla9qkt/994cgRA/vJ
NTAfBgNVHSMEGDAWgBSl7K/YELqla9qkt/994cgRA/vJNTAPBgNVHRMBAf8EBTAD
AQH/MAoGCCqGSM49BAMCA0kAMEYCIQDtV1OHdismgpC64Yce1SYeaQAwBz8M9829
zb7/rngY9gIhAPnq79FI7OpMI7l59FYFnKbTHgAnji0huVH98P6FbH/Q
-----END CERTIFICATE-----`;

/** Changes that give a stage a distribution before its API. */
export function withApiEdge(stageName: string, region = "us-east-1") {
  const certificate = (where: string, id: number) =>
    `arn:aws:acm:${where}:${stages[stageName]?.account}:certificate/${id}`;
  return {
    region,
    domain: { name: "api.example.com", certificateArn: certificate(region, 1) },
    apiEdge: {
      certificateArn: certificate("us-east-1", 1),
      clientCertificateArn: certificate("us-east-1", 3),
      authority,
      isOnlyWay: true as const,
    },
  };
}

/** Changes that give a stage a games' edge. */
export function withGames(stageName: string) {
  const certificateArn = `arn:aws:acm:us-east-1:${stages[stageName]?.account}:certificate/2`;
  // In the Public Suffix List, as a games domain should be: without it synth warns.
  return { gamesDomain: { name: "github.io", certificateArn, isPublicSuffix: true as const } };
}

/** Changes that give a stage a copy in another account. */
export const withBackup = {
  backup: { vaultArn: "arn:aws:backup:eu-central-1:333333333333:backup-vault:svc-copies", bucket: "svc-files-copy" },
};

/** Changes that switch on whatever a stage can have and the examples do not all have. */
export function everyOption(stageName: string): object {
  return {
    ...withApiEdge(stageName),
    ...withGames(stageName),
    ...withBackup,
    healthChecks: true,
    mailFrom: "svc <no-reply@example.com>",
  };
}

/** The resources of one type. */
export function ofType(resources: Resources, type: string): Resource[] {
  return Object.values(resources).filter(({ Type }) => Type === type);
}

/** The one resource of its type. */
export function only(resources: Resources, type: string): Resource {
  const [resource, ...others] = ofType(resources, type);
  if (resource === undefined || others.length > 0) throw new Error(`Not exactly one ${type}`);
  return resource;
}

/** The function of a route, found by the name that a person sees in the console. */
export function functionOf(resources: Resources, name: RouteName): [id: string, lambda: Resource] {
  const found = Object.entries(resources).find(([, { Properties }]) =>
    Properties.FunctionName?.endsWith?.(`-${kebabCase(name)}`),
  );
  if (found === undefined) throw new Error(`No function for ${name}`);
  return found;
}

/** The statements of each role by its logical id: those inside it, and those of policies beside it. */
export function statementsOfRoles(resources: Resources): Record<string, Resource["Properties"][]> {
  const roles = Object.entries(resources).filter(([, { Type }]) => Type === "AWS::IAM::Role");
  const beside = ofType(resources, "AWS::IAM::Policy").map(({ Properties }) => Properties);
  return Object.fromEntries(
    roles.map(([id, { Properties }]) => {
      const policies = [...(Properties.Policies ?? []), ...beside.filter(({ Roles }) => Roles[0].Ref === id)];
      return [id, policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement)];
    }),
  );
}

/** The statements of the role of a function. */
export function statementsOfFunction(resources: Resources, { Properties }: Resource): Resource["Properties"][] {
  return statementsOfRoles(resources)[Properties.Role["Fn::GetAtt"][0]] ?? [];
}

/** The statements of the role of a route's function. */
function statementsOf(resources: Resources, name: RouteName): Resource["Properties"][] {
  const [, lambda] = functionOf(resources, name);
  const role = lambda.Properties.Role["Fn::GetAtt"][0];
  if (resources[role]?.Properties.ManagedPolicyArns) throw new Error(`${role} has policies that are not ours`);
  return statementsOfFunction(resources, lambda);
}

/** The partitions of the table that a route's function may use; every permission on the table must have the condition. */
export function leadingKeysOf(resources: Resources, name: RouteName): string[] {
  return statementsOf(resources, name)
    .filter(({ Action }) => [Action].flat().some((action) => action.startsWith("dynamodb:")))
    .flatMap(({ Condition }) => Condition?.["ForAllValues:StringLike"]?.["dynamodb:LeadingKeys"] ?? ["any"])
    .toSorted();
}

/** What a route's function may do on which part of the stack, such as `s3:GetObject Files/projects/*`, in order. */
export function permissionsOf(resources: Resources, name: RouteName): string[] {
  return statementsOf(resources, name)
    .flatMap(({ Effect, Action, Resource: places, Condition }) => {
      if (Effect !== "Allow") throw new Error("A policy of a function denies something");
      const prefix = Condition?.StringLike?.["s3:prefix"];
      const condition = prefix === undefined ? "" : ` of ${prefix}`;
      return [places]
        .flat()
        .flatMap((place) => [Action].flat().map((action) => `${action} ${partOf(place)}${condition}`));
    })
    .toSorted();
}

/** The part of the stack that a policy's resource is, without the digest of its logical id. */
function partOf(place: Resource["Properties"]): string {
  if (typeof place === "string") return place;
  const [part, rest] = place["Fn::Join"]?.[1] ?? [place, ""];
  return part["Fn::GetAtt"][0].slice(0, -8) + rest;
}
