import type { FunctionsOption } from "../../../functions/option.ts";

export const notices: FunctionsOption = { name: "notices", takesNotices: true };
