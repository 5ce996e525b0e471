import { expect, test } from "@jest/globals";
import type { GamesStore } from "../../support/service/games-store.ts";
import type { DynamodbRecorder } from "../../support/table/dynamodb-recorder.ts";

/** Something that sends requests to the table and the store at the edge, and what else happens before one of them. */
interface ExploredJob {
  readonly service: { readonly recorder: DynamodbRecorder };
  /** The store at the edge, if its requests count. */
  readonly games?: () => GamesStore;
  /** Those of a run that nothing disturbs, with what each is for. */
  readonly requests: readonly (readonly [operation: string, name: string, ...rest: readonly unknown[]])[];
  prepare(): Promise<unknown>;
  run(): Promise<unknown>;
  /** @param name of the request that waits for it */
  meanwhile(name: string): Promise<unknown>;
  /** Expects what must hold afterwards, whichever request waited. */
  check(name: string): Promise<void>;
}

/** A test for each request of a job, before which something else happens. */
export function exploreBetweenRequests(job: ExploredJob): void {
  const { requests, prepare, run, meanwhile, check } = job;

  test("these are its requests", async () => {
    await prepare();
    expect(await during(job, run, async () => {})).toEqual(requests.map(([operation]) => operation));
  });

  test.each(requests.map(([, name], index) => [name, index + 1] as const))(
    "it holds if the other happens before %s",
    async (name, place) => {
      await prepare();
      let other: Promise<unknown> | undefined;
      await during(job, run, async (count) => {
        if (count !== place || other !== undefined) return;
        other = meanwhile(name);
        await other;
      });
      expect(other).toBeDefined();
      await check(name);
    },
    30_000,
  );
}

/**
 * @param before what each request waits for, by how many there were
 * @returns the requests
 */
async function during(
  { service, games }: ExploredJob,
  run: () => Promise<unknown>,
  before: (count: number) => Promise<void>,
): Promise<string[]> {
  const seen: string[] = [];
  const wait = (operation: string) => before(seen.push(operation));
  service.recorder.plan(({ operation }) => ({ kind: "overtaken", by: wait(operation) }));
  const store = games?.();
  if (store !== undefined)
    store.fault = async (operation) => {
      await wait(operation);
      return undefined;
    };
  try {
    await run();
  } finally {
    service.recorder.plan(undefined);
    if (store !== undefined) store.fault = undefined;
  }
  return seen;
}
