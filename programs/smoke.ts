import "./stage-options.ts";
import { runSmoke } from "../infra/smoke.ts";

/* `npm run smoke`. */
await runSmoke(process.argv.slice(2));
