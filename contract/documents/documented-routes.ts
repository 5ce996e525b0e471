import type { Route } from "../api/route.ts";
import { routes } from "../api/routes.ts";

/** The routes that the API's documents tell of, by their names. */
export const documentedRoutes: readonly (readonly [name: string, route: Route])[] = Object.entries<Route>(
  routes,
).filter(([, { internal }]) => internal !== true);
