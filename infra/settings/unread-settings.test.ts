import "../../programs/stack-options.ts";
import { afterAll, expect, test } from "@jest/globals";
import { Stack } from "aws-cdk-lib";
import { fieldsOf, isCopied, type NotedFields, noteReads } from "../../test/support/service/noted-fields.ts";
import { createApp } from "../../test/support/synthesis/app.ts";
import { everyOption } from "../../test/support/synthesis/settings.ts";
import { EdgeAlarmsStack } from "../monitoring/games-alarms.ts";
import { PipelineStack } from "../stacks/pipeline-stack.ts";
import { stages } from "../stages.ts";
import { Svc } from "../svc.ts";
import { readStage, type Stage, type StageInput, stageSettings } from "./stage.ts";

const made = createApp();
afterAll(() => made.dispose());

/** A stage with each setting that an example with every option lacks. */
const settings: object = {
  ...stages["production"],
  ...everyOption("production"),
  identityProvider: {
    ...(stages["production"]?.identityProvider as object),
    ...{
      trustedAudiences: ["a"],
      authorizedParties: ["b"],
      tenant: "c",
      tokenLifetimeHours: 1,
      signInMinutes: 15,
      acrValues: ["d"],
    },
  },
  dashboard: {
    ...stages["staging"]?.dashboard,
    domain: (stages["production"]?.dashboard || undefined)?.domain,
    clientId: "client",
    origins: ["https://login.example.com"],
  },
  developers: { emailDomains: ["example.com"], claim: { name: "groups", value: "dev" }, approval: true },
  jobIssuers: { github: ["https://ci.example.com"], gitlab: ["https://gitlab.example.com"] },
  maxTokenDays: 30,
  quota: { projectMebibytes: 1, projectObjects: 2, accountMebibytes: 3, accountObjects: 4 },
  traffic: { projectGigabytes: 1, accountGigabytes: 2, onlyTell: true },
};

test("the stacks of a stage read each of its settings", () => {
  const noted: NotedFields = { named: new Set(), copied: new Set() };
  class NotingSvc extends Svc {
    protected override configured(...args: Parameters<Svc["configured"]>): Stage {
      return noteReads(super.configured(...args), noted);
    }
  }
  const { app, code, dashboard } = made;
  const { account, region, ...ofService } = settings as StageInput;
  const stack = new Stack(app, "service", { env: { account, region } });
  new NotingSvc(stack, "Default", { ...ofService, name: "production", assets: { code, dashboard } });
  const stage = noteReads(readStage("production", { production: settings as StageInput }), noted);
  new PipelineStack(app, stage);
  new EdgeAlarmsStack(stack, stage);
  const isRead = (field: string) => noted.named.has(field) || (field.includes(".") && isCopied(field, noted));
  expect(fieldsOf(stageSettings()).filter((field) => !isRead(field))).toEqual([]);
});
