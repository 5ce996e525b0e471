import type { StageCheck } from "../infra/smoke/stage-check.ts";
import { noticeChecks } from "./notices/infra/smoke.ts";
import { logChecks } from "./statistics/infra/smoke.ts";

/** Checks of the options in `npm run smoke -- --stage NAME`, run after it has created a token. */
export const optionChecks: readonly StageCheck[] = [...noticeChecks, ...logChecks];
