import "./stage-options.ts";
import { runOperator } from "../infra/operator/operator.ts";

/* `npm run operator`. */
await runOperator(process.argv.slice(2));
