import * as z from "zod/mini";
import type { InfraOption } from "../../infra/option.ts";
import { atLeastOne, flag } from "../../infra/settings/setting-values.ts";
import { access } from "./functions/access.ts";
import { logChecks } from "./infra/smoke.ts";

const gigabyte = 1e9;

const traffic = z.optional(
  z.strictObject({
    projectGigabytes: z.optional(atLeastOne),
    accountGigabytes: z.optional(atLeastOne),
    /** Set: an alarm tells the operator, and players go on playing. */
    onlyTell: flag,
  }),
);

/** A stage with its settings. */
export interface CountedStage {
  readonly gamesDomain?: unknown;
  readonly statistics?: boolean | undefined;
  readonly traffic?: z.output<typeof traffic>;
}

const settings = {
  /** False: nothing counts how games are played, so there is no access log of the games and no limit of traffic. */
  statistics: z.optional(z.boolean("must be true or false")),
  /**
   * Limits of what players may get in a month of one project and of all projects of an account, in GB (10^9 bytes); without them as much
   * as they like. Above one, players get a page until the month ends (docs/decisions/0071-how-a-game-is-played.md#a-limit-of-traffic).
   */
  traffic,
};

type StatisticsSettings = typeof settings;
declare module "../../infra/settings/stage-option.ts" {
  interface OptionSettings extends StatisticsSettings {}
}

export const statistics: InfraOption = {
  name: "statistics",
  settings,
  access,
  partitions: { listProjects: ["STATISTICS"] },
  scheduledWithGames: ["count-plays"],
  variables: {
    trafficLimits: ({ traffic: { projectGigabytes, accountGigabytes, onlyTell } = {} }: CountedStage) => ({
      TRAFFIC_BYTES_PER_PROJECT: projectGigabytes && projectGigabytes * gigabyte,
      TRAFFIC_BYTES_PER_ACCOUNT: accountGigabytes && accountGigabytes * gigabyte,
      TRAFFIC_ONLY_TELL: onlyTell && 1,
    }),
  },
  problems: ({ gamesDomain, statistics: isCounted = true, traffic: limits }: CountedStage): string[] => {
    if (limits && !isCounted) return ["traffic needs statistics, which count it"];
    return limits && !gamesDomain ? ["traffic needs gamesDomain, whose traffic is counted"] : [];
  },
  checks: logChecks,
};
