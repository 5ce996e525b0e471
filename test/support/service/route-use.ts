import type { RouteName } from "../../../contract/api/routes.ts";
import type { Actor } from "./actors.ts";
import type { TestService } from "./service.ts";

/** Uses routes in ways that change what they do. @param owner of a project of its own */
export type RouteUse = (owner: Actor & { readonly slug: string }, test: UseTest) => Promise<void>;

interface UseTest {
  readonly service: TestService;
  /** Runs something and records its actions on table and bucket as those of a route. */
  as<T>(route: RouteName, action: () => Promise<T>): Promise<T>;
}
