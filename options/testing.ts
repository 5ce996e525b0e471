import type { RouteName } from "../contract/api/routes.ts";
import { profileLists, profileOperations } from "./profiles/test/support/operations.ts";
import { statisticsOperations, statisticsRoutes } from "./statistics/test/support/operations.ts";

/** For each route of options a request that succeeds (test/support/service/operations.ts). */
export const optionOperations = { ...profileOperations, ...statisticsOperations };

/** Lists, written by hand, of which callers each route of options accepts. */
const lists: readonly RouteLists[] = [statisticsRoutes, profileLists];

interface RouteLists {
  /** These need the scope publish of a token. */
  readonly needPublish?: readonly RouteName[];
  /** These are for the owner of a project alone. */
  readonly ofOwners?: readonly RouteName[];
  /** These are for all people of a project. */
  readonly ofPublishers?: readonly RouteName[];
  /** These take a grant, and nothing else. */
  readonly ofGrants?: readonly RouteName[];
  /** These are in no document of the API. */
  readonly internal?: readonly RouteName[];
}

/** The routes of a list of all options. */
export function optionRoutesThat(list: keyof RouteLists): RouteName[] {
  return lists.flatMap((each) => each[list] ?? []);
}
