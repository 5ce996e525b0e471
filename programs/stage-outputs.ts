import "./stage-options.ts";
import { readConfiguredStage } from "../infra/settings/configured-stages.ts";

/* Prints what the workflow must know of a stage: account and region to get credentials, and the issuer for the smoke test, if the settings name it. */
const { account, region, identityProvider } = readConfiguredStage(process.argv[2]);
const issuer = identityProvider === "cognito" ? "" : identityProvider.issuer;
for (const [name, value] of Object.entries({ account, region, issuer })) console.log(`${name}=${value}`);
