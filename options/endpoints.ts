import { statisticsEndpoints } from "./statistics/cli/endpoints.ts";

/** The routes of options that the command line calls (cli/src/client.ts). */
export const optionEndpoints = { ...statisticsEndpoints };
