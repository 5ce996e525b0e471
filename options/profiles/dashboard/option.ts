import type { DashboardOption } from "../../../dashboard/src/option.ts";

export const profiles = {
  name: "profiles",
  tabs: { performance: "Performance" },
  hasInside: true,
} as const satisfies DashboardOption & { readonly tabs: object };
