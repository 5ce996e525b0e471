import type { LocalOption } from "../local/option.ts";
import { notices } from "./notices/local.ts";

/** The options in the local service. */
export const options: readonly LocalOption[] = [notices];

/** The environment variables of `npm start` that they have, each with its line of the help. */
export const optionSettings = { ...notices.settings };
