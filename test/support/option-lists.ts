import type { RouteName } from "../../contract/api/routes.ts";
import { access as webhookAccess } from "../../options/notices/functions/access.ts";
import { webhookLists, webhookOperations } from "../../options/notices/test/support/operations.ts";
import { access as profileAccess } from "../../options/profiles/functions/access.ts";
import { profileLists, profileOperations } from "../../options/profiles/test/support/operations.ts";
import { access as reportsAccess } from "../../options/reports/functions/access.ts";
import { reportsOperations, reportsRoutes } from "../../options/reports/test/support/operations.ts";
import { useWorseRelease } from "../../options/reports/test/support/worse-release.ts";
import { access as savesAccess } from "../../options/saves/functions/access.ts";
import { savesOperations, savesRoutes } from "../../options/saves/test/support/operations.ts";
import { useSavesLink } from "../../options/saves/test/support/saves-link.ts";
import { access as statisticsAccess } from "../../options/statistics/functions/access.ts";
import { statisticsOperations, statisticsRoutes } from "../../options/statistics/test/support/operations.ts";
import type { RouteUse } from "./service/route-use.ts";

/** What the functions of the routes of options may do. */
export const optionAccess = {
  // A line each.
  ...profileAccess,
  ...reportsAccess,
  ...savesAccess,
  ...statisticsAccess,
  ...webhookAccess,
};

/** For each route of options a request that succeeds (test/support/service/operations.ts). */
export const optionOperations = {
  // A line each.
  ...profileOperations,
  ...reportsOperations,
  ...savesOperations,
  ...statisticsOperations,
  ...webhookOperations,
};

/** Uses of routes that their operations alone do not have, for the test of what each route may do. */
export const optionUses: readonly RouteUse[] = [
  // A line each.
  useWorseRelease,
  useSavesLink,
];

/** Lists, written by hand, of which callers each route of options accepts. */
const lists: readonly RouteLists[] = [
  // A line each.
  statisticsRoutes,
  profileLists,
  reportsRoutes,
  savesRoutes,
  webhookLists,
];

interface RouteLists {
  /** These need the scope publish of a token. */
  readonly needPublish?: readonly RouteName[];
  /** These are for the owner of a project alone. */
  readonly ofOwners?: readonly RouteName[];
  /** These are for the owner and the admins of a project. */
  readonly ofAdmins?: readonly RouteName[];
  /** These need a recent sign-in. */
  readonly ofRecentSignIns?: readonly RouteName[];
  /** These are open to a suspended account. */
  readonly ofSuspended?: readonly RouteName[];
  /** These are for all people of a project, viewers too. */
  readonly ofPeople?: readonly RouteName[];
  /** These are for all people of a project but viewers. */
  readonly ofPublishers?: readonly RouteName[];
  /** These need no credential. */
  readonly ofAnybody?: readonly RouteName[];
  /** These take a grant, and nothing else. */
  readonly ofGrants?: readonly RouteName[];
  /** These are in no document of the API. */
  readonly internal?: readonly RouteName[];
}

/** The routes of a list of all options. */
export function optionRoutesThat(list: keyof RouteLists): RouteName[] {
  return lists.flatMap((each) => each[list] ?? []);
}
