import type { LocalOption } from "../../local/option.ts";

export const profiles = { name: "profiles" } as const satisfies LocalOption;
