import type { DashboardOption } from "../../../dashboard/src/option.ts";

export const profiles: DashboardOption = {
  name: "profiles",
  tabs: { performance: "Performance" },
  hasInside: true,
};
