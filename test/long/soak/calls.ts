import type { CheckedResponse } from "../../support/service/checked-request.ts";
import type { Span } from "./claims.ts";
import type { Measurements } from "./report.ts";

/** Counts of what was checked, so that a run that checked nothing is seen. */
export const checked = {
  usesAfterRevocation: 0,
  creationsAtTheLimit: 0,
  publications: 0,
  lostRaces: 0,
  visits: 0,
  revokedPublications: 0,
  deletions: 0,
  replacements: 0,
  pointers: 0,
  outages: 0,
};

export async function timed(
  measurements: Measurements,
  name: string,
  call: () => Promise<CheckedResponse>,
): Promise<CheckedResponse & { span: Span }> {
  const sentAt = performance.now();
  const response = await call();
  const respondedAt = performance.now();
  measurements.note(name, respondedAt - sentAt);
  return { ...response, span: { sentAt, respondedAt } };
}

export function expectStatus({ status, body }: CheckedResponse, ...expected: number[]): void {
  if (!expected.includes(status)) throw new Error(`${status} ${JSON.stringify(body)}, not ${expected.join(" or ")}`);
}

export function claim(broken: string | undefined): void {
  if (broken !== undefined) throw new Error(`BROKEN CLAIM: ${broken}`);
}
