import "./stage-options.ts";
import { addStackOptions, type StackOption } from "../infra/option.ts";
import { backup } from "../options/backup/infra/option.ts";
import { notices } from "../options/notices/infra/option.ts";
import { statistics } from "../options/statistics/infra/option.ts";

/** The options in the stacks of stages. In a file of its own, because it loads the CDK. */
const options: readonly StackOption[] = [
  // A line each.
  backup,
  notices,
  statistics,
];

addStackOptions(options);
