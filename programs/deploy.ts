import "./stage-options.ts";
import { runDeploy } from "../infra/deploy.ts";

/* `npm run deploy`. */
await runDeploy(process.argv.slice(2));
