import type { FunctionsOption } from "../functions/option.ts";
import { notices } from "./notices/functions/option.ts";

/** The options in the functions. */
export const options: readonly FunctionsOption[] = [notices];
