import type { DeployedStage } from "../../../infra/deployment/deployed-stage.ts";
import { monitoringPrefix } from "../../../infra/monitoring/monitoring-names.ts";
import { runFunction, type StageCheck } from "../../../infra/smoke/stage-check.ts";

const delivery = "deliver-notices";

/** The facts about a stage's notices; those of a stage that leaves them out hold. */
export const noticeChecks: readonly StageCheck[] = [
  {
    fact: "the delivery of notices runs",
    advice: "Read its lines in the functions' log; is PutEvents in its role?",
    find: async (stage) => (stage.schedules.includes(delivery) ? await runFunction(stage, delivery) : undefined),
  },
  {
    fact: "notices and mails are accepted",
    advice: "docs/operations/looking.md has the alarm's row.",
    find: nothingWaits,
  },
];

/** Notices leave the table only when the bus has accepted them; a mail only when SES has. */
async function nothingWaits({ name, aws, schedules }: DeployedStage): Promise<string | undefined> {
  if (!schedules.includes(delivery)) return undefined;
  for (const [alarm, what] of [
    ["NoticesFailing", "a notice"],
    ["NoticesDeadLettered", "a notice"],
    ["MailsFailing", "a mail"],
  ]) {
    const { MetricAlarms = [] } = await aws(
      "cloudwatch",
      "describe-alarms",
      "--alarm-names",
      `${monitoringPrefix({ name })}-${alarm}`,
    );
    if (MetricAlarms[0]?.StateValue === "ALARM") return `the alarm ${alarm} is on: ${what} could not be sent`;
  }
  return undefined;
}
