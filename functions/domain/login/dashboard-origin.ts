import * as environment from "../../environment.ts";
import { ServiceError } from "../service-error.ts";

/** The origin of the page on which people approve command lines; undefined if the stage has none. */
export function findDashboardOrigin(): string | undefined {
  return environment.dashboardOrigin();
}

/** @throws ServiceError `unauthorized_client` if the stage has no dashboard on which anybody could approve */
export function dashboardOrigin(): string {
  const origin = findDashboardOrigin();
  if (origin === undefined) throw new ServiceError("unauthorized_client");
  return origin;
}
