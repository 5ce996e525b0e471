import type { StackOption } from "../../../infra/option.ts";
import type { Stage } from "../../../infra/settings/stage.ts";
import { countAlarms, GamesLog, trafficAlarm } from "./games-log.ts";
import { GamesLogStack } from "./games-log-stack.ts";

/** The domain whose games are counted; undefined: the stage counts nothing. */
function countedDomain({ statistics: isCounted = true, gamesDomain }: Stage) {
  return isCounted ? gamesDomain : undefined;
}

/** The access log of the games, the function that counts plays, and its alarms. */
export const statistics: StackOption = {
  addTo: (scope, { code, gamesDistributionId: distributionId, ...parts }) => {
    const domain = countedDomain(parts.stage);
    if (domain === undefined || distributionId === undefined) return undefined;
    const { counter } = new GamesLog(scope, "GamesLog", {
      ...parts,
      domain,
      distributionId,
      code: code("count-plays"),
    });
    return {
      alarms: (logged) => [
        ...countAlarms(counter.lambda, logged("AccessLogStopped", "access_log_stopped")),
        ...(parts.stage.traffic ? [trafficAlarm(logged("TrafficLimits", "traffic_limit_reached"))] : []),
      ],
    };
  },
  stacks: (service, stage) => (countedDomain(stage) ? [new GamesLogStack(service, stage)] : []),
};
