import { readStage } from "./stage.ts";
import { stages } from "./stages.ts";

/* What the workflow needs of a stage before it may ask AWS anything, as lines of `$GITHUB_OUTPUT`. */
const { account, region } = readStage(process.argv[2], stages);
console.log(`account=${account}\nregion=${region}`);
