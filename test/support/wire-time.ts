import { expect } from "@jest/globals";

/** Any time as the API writes it: RFC 3339 in UTC, to the millisecond. */
export const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

/** Seconds from now until a time that the API has written. */
export function secondsUntil(wireTime: string): number {
  return (Date.parse(wireTime) - Date.now()) / 1_000;
}
