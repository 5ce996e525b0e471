import type { StageCheck } from "../infra/stage-check.ts";
import { noticeChecks } from "./notices/infra/smoke.ts";
import { logChecks } from "./statistics/infra/smoke.ts";

/** What `npm run smoke -- --stage NAME` looks at of the options, after it has created a token. */
export const optionChecks: readonly StageCheck[] = [...noticeChecks, ...logChecks];
