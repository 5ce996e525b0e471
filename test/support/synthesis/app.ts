import "../../../programs/stack-options.ts";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, type Stack } from "aws-cdk-lib";
import { queued, schedules } from "../../../infra/background/schedules.ts";
import { edgeRegion } from "../../../infra/hosts/domains.ts";
import { EdgeAlarmsStack } from "../../../infra/monitoring/games-alarms.ts";
import { readStage, type Stage } from "../../../infra/settings/stage.ts";
import { PipelineStack } from "../../../infra/stacks/pipeline-stack.ts";
import { ServiceStack } from "../../../infra/stacks/service-stack.ts";
import { stages } from "../../../infra/stages.ts";
import { routes } from "../routes.ts";
import { everyOption } from "./settings.ts";

const cdk = JSON.parse(readFileSync("cdk.json", "utf8"));

/** An app as `cdk` makes it, for stacks whose bundles are one line each. */
export interface TestApp {
  readonly app: App;
  /** Path of the bundle of a route's, schedule's or subscriber's function. */
  readonly code: (name: string) => string;
  /** Folder of a page with all that the template depends on. */
  readonly dashboard: string;
  /** Findings of rules in the synthesised app, of every severity. */
  findings(): unknown[];
  /** Removes bundles and output. */
  dispose(): void;
}

/** @param rules whether CloudFormation's own rules are run, which takes two seconds */
export function createApp({ rules = false } = {}): TestApp {
  const folder = mkdtempSync(join(tmpdir(), "svc-synthesis-"));
  for (const route of [...Object.keys(routes), ...schedules(), ...queued(), "games-origin"]) {
    mkdirSync(join(folder, route));
    writeFileSync(join(folder, route, "index.mjs"), `export const handler = () => ${JSON.stringify(route)};\n`);
  }
  const dashboard = join(folder, "dashboard");
  mkdirSync(dashboard);
  writeFileSync(
    join(dashboard, "index.html"),
    '<!doctype html>{origin}/card.png<script id="configuration">null</script>',
  );
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
    const service = addStage(made, stage);
    new PipelineStack(made.app, stage);
    if (stage.region === edgeRegion) new EdgeAlarmsStack(service, stage);
  }
}

/** Adds the stacks of a stage, without that of its pipeline. */
export function addStage({ app, code, dashboard }: TestApp, stage: Stage): ServiceStack {
  return new ServiceStack(app, { stage, code, dashboard });
}

/** The stacks of a stage in the order in which they are deployed. */
export function stacksOf(service: ServiceStack): Stack[] {
  const isBefore = (stack: Stack) => service.dependencies.includes(stack);
  const { otherStacks } = service;
  return [...otherStacks.filter(isBefore), service, ...otherStacks.filter((stack) => !isBefore(stack))];
}

/** Adds the stacks of a stage, and names them in the order in which they are deployed. */
export function addStacksOf(made: TestApp, stage: Stage): string[] {
  return stacksOf(addStage(made, stage)).map(({ stackName }) => stackName);
}
