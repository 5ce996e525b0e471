import "../../../programs/stack-options.ts";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Stack } from "aws-cdk-lib";
import { configurationPath, pagePath } from "../../../dashboard/site.ts";
import { stackOptions } from "../../../infra/option.ts";
import { readStage, type Stage } from "../../../infra/settings/stage.ts";
import { PipelineStack } from "../../../infra/stacks/pipeline-stack.ts";
import { stages } from "../../../infra/stages.ts";
import { addStage, createApp, type TestApp } from "./app.ts";

/** Each stack of a stage that tests synthesise by itself. */
const stacks = {
  service: addStage,
  monitoring: (made: TestApp, stage: Stage) => siblingStack(addStage(made, stage), /-monitoring$/),
  games: (made: TestApp, stage: Stage) => siblingStack(addStage(made, stage), /-games-[0-9a-f]{8}$/),
  certificates: (made: TestApp, stage: Stage) => siblingStack(addStage(made, stage), /-certificates$/),
  /** The only one that an option has of its own. */
  option: ({ app }: TestApp, stage: Stage) => {
    const [stack, ...others] = stackOptions.flatMap(
      ({ stacks: ofOption }) => ofOption?.(emptyService(app, stage), stage) ?? [],
    );
    if (stack === undefined || others.length > 0) throw new Error("Options do not have one stack of their own");
    return stack;
  },
  edgeAlarms: (made: TestApp, stage: Stage) => siblingStack(addStage(made, stage), /-alarms$/),
  pipeline: ({ app }: TestApp, stage: Stage) => new PipelineStack(app, stage),
} as const satisfies Record<string, (made: TestApp, stage: Stage) => Stack>;

function siblingStack({ otherStacks }: ReturnType<typeof addStage>, name: RegExp): Stack {
  const stack = otherStacks.find(({ stackName }) => name.test(stackName));
  if (stack === undefined) throw new Error(`The stage has no stack ${name}`);
  return stack;
}

/** A stack in place of the stage's own, for those that only read its outputs. */
function emptyService(app: TestApp["app"], { name, account, region }: Stage): Stack {
  return new Stack(app, `svc-${name}`, { env: { account, region } });
}

export interface SynthesisRequest {
  /** `region`: what a stage has in its region, that is `service` with `monitoring`. */
  readonly stack: keyof typeof stacks | "region";
  readonly stage: string;
  /** Settings that replace those of the example stage; undefined takes one away. */
  readonly changes: object;
  /** The program of Lambda@Edge. */
  readonly originCode?: string;
}

export interface Synthesised {
  /** The template as JSON. */
  readonly template: string;
  /** Configuration of the dashboard, in JSON, as it is copied into its bucket; what the deployment alone knows is a marker. */
  readonly configuration?: string | undefined;
  /** The dashboard's HTML, likewise. */
  readonly page?: string | undefined;
}

const made = new Map<string, Synthesised>();

/** Synthesises one stack, or returns it as it was synthesised before: {@link SynthesisRequest}. */
export function synthesiseOnce(request: SynthesisRequest): Synthesised {
  // JSON leaves out what is undefined, which here takes a setting away.
  const key = JSON.stringify(request, (_, value) => (value === undefined ? "left out" : value));
  const result = made.get(key) ?? synthesise(request);
  made.set(key, result);
  return result;
}

function synthesise({ stack, stage: name, changes, originCode }: SynthesisRequest): Synthesised {
  const testApp = createApp();
  try {
    if (originCode !== undefined) writeFileSync(join(testApp.code("games-origin"), "index.mjs"), originCode);
    const stage = readStage(name, { [name]: { ...stages[name], ...changes } });
    const { stackName } = stacks[stack === "region" ? "service" : stack](testApp, stage);
    const assembly = testApp.app.synth();
    const { template } = assembly.getStackByName(stackName);
    const copied = (path: string) => {
      const [file] = globSync(`asset.*${path}`, { cwd: assembly.directory });
      return file && readFileSync(join(assembly.directory, file), "utf8");
    };
    return {
      template: JSON.stringify(
        stack === "region" ? together(template, assembly.getStackByName(`${stackName}-monitoring`).template) : template,
      ),
      configuration: copied(configurationPath),
      page: copied(pagePath),
    };
  } finally {
    testApp.dispose();
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a template is whatever JSON CloudFormation takes
type Template = any;

/** The resources of two stacks as if they were in one: what the second reads of the first is what the output has there. */
function together(first: Template, second: Template): Template {
  const doubled = Object.keys(second.Resources).filter((id) => id in first.Resources);
  if (doubled.length > 0) throw new Error(`Both stacks have ${doubled}`);
  const resolved = JSON.parse(JSON.stringify(second.Resources), (_, value) => {
    const output = value?.["Fn::GetStackOutput"];
    return output === undefined ? value : first.Outputs[output.OutputName].Value;
  });
  return { ...first, Resources: { ...first.Resources, ...resolved } };
}
