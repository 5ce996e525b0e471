import { readStage } from "./stage.ts";
import { stages } from "./stages.ts";

/* Account and region of a stage, which the workflow needs to get credentials, as lines of `$GITHUB_OUTPUT`. */
const { account, region } = readStage(process.argv[2], stages);
console.log(`account=${account}\nregion=${region}`);
