import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { partSizes } from "../../../contract/folder/content-hash.ts";
import { cliEnvironment, cliProgram, publishResult } from "../../support/cli/cli.ts";
import { usePublishingUser } from "../../support/service/publishing-user.ts";
import { startRecordedService } from "../../support/service/recorded-service.ts";
import { duringTests } from "../../support/service/suite.ts";
import { type StoreRequest, startRecordedStore } from "../../support/store/store-recorder.ts";

/*
 * The real program, killed with -9 in the middle of a large file, goes on where it was.
 */
const store = duringTests(() => startRecordedStore());
const service = duringTests(() => startRecordedService({ env: { S3_ENDPOINT: store.endpoint } }));
const user = usePublishingUser(service);

const size = 80 * 1024 ** 2;
const parts = partSizes(size).length;
/** Parts before the program is killed: more than are sent at once, so the store has some of them. */
const partsBefore = 10;

/** Bytes that Brotli cannot make smaller; no two parts are equal. */
async function writeGame(): Promise<void> {
  mkdirSync(join(user.person.home, "game"));
  const file = await open(join(user.person.home, "game", "world.png"), "w");
  for (const bytes of partSizes(size)) await file.write(randomBytes(bytes));
  await file.close();
  user.write({ "index.html": "<h1>Game</h1>" });
}

const isStoredPart = ({ kind, hasResponse }: StoreRequest) => kind === "part" && hasResponse;

/** Runs `svc publish` until the store has this many parts, then kills it. */
async function killedAfter(wanted: number): Promise<StoreRequest[]> {
  const env = cliEnvironment(user.person.home, { SVC_API: service.api, SVC_TOKEN: user.token.credential });
  const child = spawn(process.execPath, [cliProgram, "publish", "game", "--project", user.slug], {
    cwd: user.person.home,
    env,
  });
  const exited = once(child, "exit");
  let begun = 0;
  store.plan((request) => {
    if (request.kind === "part" && ++begun > wanted) child.kill("SIGKILL");
    return request.kind === "part" && begun > wanted ? "break" : undefined;
  });
  try {
    return await store.during(async () => expect((await exited)[1]).toBe("SIGKILL"));
  } finally {
    store.plan(undefined);
  }
}

test(`svc publish that was killed sends no part of a file of ${size / 1024 ** 2} MiB again`, async () => {
  await writeGame();
  const first = await killedAfter(partsBefore);
  const stored = first.filter(isStoredPart).length;
  expect(stored).toBeGreaterThan(0);
  let result: Awaited<ReturnType<typeof user.publish>> | undefined;
  const second = await store.during(async () => {
    result = await user.publish();
  });
  expect(publishResult(result ?? { stdout: "" })).toMatchObject({ event: "published", files: 2 });
  // Parts that were under way when it was killed may have arrived whole, and count for neither.
  const sent = second.filter(isStoredPart).length;
  expect(sent).toBeLessThanOrEqual(parts - stored);
  expect(sent).toBeGreaterThanOrEqual(parts - partsBefore);
  expect(second.filter(({ kind }) => kind === "complete")).toHaveLength(1);
  expect(publishResult(await user.publish())).toMatchObject({ event: "unchanged", sent: { files: 0 } });
});
