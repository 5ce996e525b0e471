import { readStage } from "./stage.ts";
import { stages } from "./stages.ts";

/*
 * Prints a stage's settings for the workflow: account and region to get credentials, the issuer for the smoke test, and whether it
 * has a stack of games.
 */
const { account, region, identityProvider, gamesDomains } = readStage(process.argv[2], stages);
console.log(
  `account=${account}\nregion=${region}\nissuer=${identityProvider.issuer}\ngames=${gamesDomains !== undefined}`,
);
