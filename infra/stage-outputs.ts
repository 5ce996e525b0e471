import { readConfiguredStage } from "./configured-stages.ts";
import { edgeRegion } from "./domains.ts";

/*
 * Prints a stage's settings for the workflow: account and region to get credentials; for the smoke test the issuer, and the origin of
 * the API that nobody but CloudFront may reach; and whether it has a stack of games, one of their alarms, and one before its API.
 */
const { account, region, identityProvider, gamesDomain, apiEdge } = readConfiguredStage(process.argv[2]);
const outputs = {
  account,
  region,
  issuer: identityProvider.issuer,
  origin: apiEdge?.isOnlyWay ? apiEdge.origin : "",
  games: gamesDomain !== undefined,
  "games-alarms": gamesDomain !== undefined && region !== edgeRegion,
  edge: apiEdge !== undefined,
};
for (const [name, value] of Object.entries(outputs)) console.log(`${name}=${value}`);
