import type { RouteName } from "../contract/api/routes.ts";
import { statisticsOperations, statisticsRoutes } from "./statistics/test/support/operations.ts";

/** For each route of options a request that succeeds (test/support/service/operations.ts). */
export const optionOperations = { ...statisticsOperations };

/** Lists, written by hand, of which callers each route of options accepts. */
const lists: readonly RouteLists[] = [statisticsRoutes];

interface RouteLists {
  /** These need the scope publish of a token. */
  readonly needPublish?: readonly RouteName[];
  /** These are for all people of a project. */
  readonly ofPublishers?: readonly RouteName[];
}

/** The routes of a list of all options. */
export function optionRoutesThat(list: keyof RouteLists): RouteName[] {
  return lists.flatMap((each) => each[list] ?? []);
}
