import type { StackOption } from "../infra/option.ts";
import { backup } from "./backup/infra/option.ts";
import { notices } from "./notices/infra/option.ts";
import { statistics } from "./statistics/infra/option.ts";

/** The options in the stack of a stage. */
export const options: readonly StackOption[] = [
  // A line each.
  backup,
  notices,
  statistics,
];
