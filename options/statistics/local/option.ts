import type { LocalOption, PlayWatch } from "../../../local/option.ts";
import { AccessLog } from "./access-log.ts";
import { startAthenaServer } from "./athena-server.ts";
import { LoggedRequest } from "./logged-request.ts";

/** Athena's form of the access log, which players' requests are written to, and the function that counts them. */
export const statistics: LocalOption = {
  name: "statistics",
  settings: {
    SVC_STATISTICS_SECONDS: "seconds between two counts of how games are played, 60 by default; 0: none",
  },
  schedules: [{ name: "count-plays", setting: "SVC_STATISTICS_SECONDS", seconds: 60 }],
  start: async ({ dataFolder }) => {
    const log = new AccessLog(dataFolder);
    const athena = await startAthenaServer(log);
    return {
      environment: { ATHENA_DATABASE: "svc_local", ATHENA_ENDPOINT: athena.endpoint },
      watch: watchPlays(log),
      stop: async () => {
        await athena.stop();
        await log.stop();
      },
    };
  },
};

/** Adds a row for each request of a player. */
export function watchPlays(log: Pick<AccessLog, "add">): PlayWatch {
  return (request) => {
    const logged = new LoggedRequest(request);
    return {
      responds: (result) => logged.responds(result),
      ends: (response) => log.add(logged.rowOf(response)),
    };
  };
}
