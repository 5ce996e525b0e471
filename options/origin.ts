import type { OptionPages } from "../edge/origin-request.ts";
import { profiles } from "./profiles/origin.ts";

/** The pages that options add to each game's origin. */
export const pages: OptionPages = { ...profiles };
