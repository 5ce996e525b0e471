/*
 * Part of a limit of traffic that a project has used. The command line and the dashboard compute it from the response, so it needs no
 * schema library.
 */

/** Part of a limit from which on its owner is told. */
export const warnedShare = 0.8;

interface MonthlyBytes {
  readonly bytes: number;
  readonly limit: number | null;
}

/** `traffic` of the response of `getStatistics`. */
interface Traffic {
  readonly project: MonthlyBytes;
  readonly account: MonthlyBytes | null;
}

/** Traffic used of a limit in the present month. */
export interface UsedTraffic {
  readonly of: "project" | "account";
  readonly bytes: number;
  readonly limit: number;
  /** Rounded down, so that 100 means that it is reached. */
  readonly percent: number;
  readonly isNear: boolean;
}

/** Traffic used of each limit that exists and that the caller may see. */
export function usedTraffic(traffic: Traffic): UsedTraffic[] {
  return (["project", "account"] as const).flatMap((of) => {
    const { bytes = 0, limit = null } = traffic[of] ?? {};
    if (limit === null) return [];
    return [{ of, bytes, limit, percent: Math.floor((bytes / limit) * 100), isNear: bytes >= limit * warnedShare }];
  });
}
