import { randomUUID } from "node:crypto";
import { type Actor, actorsOf } from "../../../../test/support/service/actors.ts";
import type { CheckedResponse } from "../../../../test/support/service/checked-request.ts";
import type { TestService } from "../../../../test/support/service/service.ts";
import { liveRelease, publish } from "../../../../test/support/service/steps.ts";
import { grantOf } from "./grant.ts";

/** The page that measures, as it has been opened with a grant. */
export interface TelemetryPage {
  readonly id: string;
  readonly grant: string;
  readonly origin: string;
  /** Sends records that follow the first so many of this page. */
  send(first: number, records: readonly object[], headers?: Record<string, string>): Promise<CheckedResponse>;
  /** The same page opened once more. */
  again(): TelemetryPage;
}

/** Opens the page that measures with a new grant of a caller. */
export async function openPage(service: TestService, caller: Actor, slug: string): Promise<TelemetryPage> {
  if ((await liveRelease(caller, slug)) === undefined) await publish(caller, slug, { "index.html": randomUUID() });
  return pageOf(service, await grantOf(caller, slug));
}

export function pageOf(service: TestService, grant: Awaited<ReturnType<typeof grantOf>>): TelemetryPage {
  const page = randomUUID();
  const bearer = actorsOf(service).bearer(grant.grant);
  return {
    ...grant,
    send: (first, records, headers) =>
      bearer.send("POST", "/telemetry", {
        headers: { "content-type": "application/json", origin: grant.origin, ...headers },
        body: JSON.stringify({ page, first, records }),
      }),
    again: () => pageOf(service, grant),
  };
}

/** This number of marks, all different. */
export function marks(count: number, from = 0): object[] {
  return Array.from({ length: count }, (_, index) => ({ type: "mark", at: from + index, name: `${from + index}` }));
}
