import { afterEach, expect, test } from "@jest/globals";
import { Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks } from "cdk-nag";
import { ApiEdgeStack } from "../../../infra/api-edge-stack.ts";
import { GamesAlarmsStack } from "../../../infra/games-alarms.ts";
import { GamesOriginStack } from "../../../infra/games-origin-stack.ts";
import { PipelineStack } from "../../../infra/pipeline-stack.ts";
import { ServiceStack } from "../../../infra/service-stack.ts";
import { hasApiEdge, readStage } from "../../../infra/stage.ts";
import { stages } from "../../../infra/stages.ts";
import { createApp, everyOption, type TestApp } from "../../support/synthesis.ts";

let made: TestApp | undefined;

afterEach(() => made?.dispose());

test("the stacks of every stage pass CloudFormation's own rules and the AwsSolutions pack", () => {
  made = createApp({ rules: true });
  const { app, code, dashboard, findings } = made;
  for (const name of Object.keys(stages)) {
    const stage = readStage(name, { [name]: { ...stages[name], ...everyOption(name) } });
    new ServiceStack(app, { stage, code, dashboard });
    new PipelineStack(app, stage);
    new GamesOriginStack(app, { stage, code: code("games-origin") });
    new GamesAlarmsStack(app, stage);
    if (hasApiEdge(stage)) new ApiEdgeStack(app, stage);
  }
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  expect(() => app.synth()).not.toThrow();
  expect(findings()).toEqual([]);
});
