import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import type { Context } from "aws-lambda";
import { handler } from "../../../../functions/jobs/sweep.ts";
import { keys } from "../../../../functions/table/keys.ts";
import { publish } from "../../../support/service/steps.ts";
import { useFunctionEnvironment, useOwner, useRecordedService } from "../../../support/service/suite.ts";
import { removeItem, setAttribute, storedItem } from "../../../support/table/stored.ts";

/*
 * The function that sweeps, as its schedule starts it: what it takes from its environment and from its context, and when it
 * fails. In a service of its own, because a run takes every project of the table.
 */
const service = useRecordedService({});
const ada = useOwner(service);
useFunctionEnvironment(service, () => ({ KEPT_RELEASES: "2", KEPT_DAYS: "7" }));

beforeEach(() => removeItem(service, keys.sweep()));
afterEach(() => service.recorder.plan(undefined));

async function sweep(remainingMilliseconds = 600_000): Promise<void> {
  const context = { awsRequestId: "run", getRemainingTimeInMillis: () => remainingMilliseconds };
  await handler({}, context as Context);
}

/** Publishes releases that were live that many days ago. @returns their ids */
async function publishedDaysAgo(...days: readonly number[]): Promise<string[]> {
  const ids: string[] = [];
  for (const ago of days) {
    const id = await publish(ada, ada.slug, { "index.html": `${ago}` });
    const publishedAt = new Date(Date.now() - ago * 86_400_000).toISOString();
    await setAttribute(service, keys.release(ada.slug, id), "publishedAt", publishedAt);
    ids.push(id);
  }
  return ids;
}

async function keptOf(ids: readonly string[]): Promise<string[]> {
  const stored = await Promise.all(ids.map((id) => storedItem(service, keys.release(ada.slug, id))));
  return ids.filter((_, index) => stored[index] !== undefined);
}

test("keeps as many releases, and releases of as many days, as the stage's settings say", async () => {
  const ids = await publishedDaysAgo(10, 8, 6, 4);
  await sweep();
  expect(await keptOf(ids)).toEqual(ids.slice(1));
});

test("fails if a project could not be swept, so that the alarm sees it, and sweeps it with the next run", async () => {
  const ids = await publishedDaysAgo(10, 8, 6, 4);
  service.recorder.plan(({ input }) =>
    JSON.stringify(input).includes(`PROJECT#${ada.slug}`)
      ? { kind: "refuse", error: "ValidationException" }
      : undefined,
  );
  await expect(sweep()).rejects.toThrow("1 projects could not be swept");
  service.recorder.plan(undefined);
  expect(await keptOf(ids)).toEqual(ids);
  await sweep();
  expect(await keptOf(ids)).toEqual(ids.slice(1));
});

test("logs what a run did as information, and only what failed as an error", async () => {
  await publishedDaysAgo(10, 8, 6, 4);
  const write = jest.spyOn(process.stdout, "write");
  await sweep();
  const lines = write.mock.calls.map(([line]) => JSON.parse(String(line)));
  write.mockRestore();
  const message = expect.stringMatching(/projects swept, \d+ releases ended, \d+ objects deleted$/);
  expect(lines).toEqual([expect.objectContaining({ level: "info", route: "sweep", request_id: "run", message })]);
});

test("begins no project with less than 90 seconds left", async () => {
  const ids = await publishedDaysAgo(10, 8, 6, 4);
  await sweep(90_000);
  expect(await keptOf(ids)).toEqual(ids);
  await sweep(90_001);
  expect(await keptOf(ids)).toEqual(ids.slice(1));
});
