import { readStage } from "./stage.ts";
import { stages } from "./stages.ts";

/* Prints a stage's settings for the workflow: account and region to get credentials, the issuer for the smoke test. */
const { account, region, identityProvider } = readStage(process.argv[2], stages);
console.log(`account=${account}\nregion=${region}\nissuer=${identityProvider.issuer}`);
