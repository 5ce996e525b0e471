import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import { AmazonError } from "../../../../local/amazon-server.ts";
import { localStoreArn } from "../../../../local/pointers/store-server.ts";
import { freePort } from "../../../../local/table/dynamodb-engine.ts";
import { runProgram } from "../../../support/program.ts";
import { type Actor, actorsOf } from "../../../support/service/actors.ts";
import { functionEnvironment } from "../../../support/service/function-environment.ts";
import { startGamesStore } from "../../../support/service/games-store.ts";
import { startService, type TestService } from "../../../support/service/service.ts";
import { everyItem } from "../../../support/table/stored.ts";
import { counts, delivered, keptDays, keptReleases, ok, oneOf, random, seed, type Today, uids } from "./model.ts";
import { brokenPromises } from "./promises.ts";
import { steps } from "./steps.ts";

/*
 * A month of a service that is restarted every one to four days, with its clock moved ahead by that time and with the
 * same tables and files. Each time three developers and the operator do first what they have never done, then what they
 * can, chosen at random; the sweep and the delivery of notices run, and pointers go to a games' edge whose store fails
 * now and then. Then the promises are compared with a model. `MONTH_SEED` repeats a month.
 */
const days = 36;
const mostDaysBetween = 4;
const stepsPerStart = 16;
const shiftedClock = `--import=${fileURLToPath(new URL("../shift-clock.mjs", import.meta.url))}`;

async function waitFor(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let waited = 0; waited < 300; waited += 1) {
    if (await isSo()) return;
    await delay(100);
  }
  throw new Error(`seed ${seed}: ${what} did not happen`);
}

async function live(today: Today): Promise<string[]> {
  const names = Object.keys(steps);
  const never = names.filter((name) => !counts[name]);
  for (let count = 0; count < stepsPerStart; count += 1) {
    const name = never[count] ?? (oneOf([...names, "publish", "publish", "rollBack"]) as string);
    if (await steps[name]?.(today)) counts[name] = (counts[name] ?? 0) + 1;
  }
  const isTold = async () =>
    !(await everyItem(today.service)).some(
      ({ PK, at }) => String(PK).startsWith("OUTBOX#") && Date.parse(String(at)) < Date.now() + today.day * 86_400_000,
    );
  await waitFor("the delivery of notices", isTold);
  await waitFor("the sweep", () => today.service.output().includes("projects swept"));
  const [, objects = "0"] = /(\d+) objects deleted/.exec(today.service.output()) ?? [];
  counts["sweptObjects"] = (counts["sweptObjects"] ?? 0) + Number(objects);
  return await brokenPromises(today);
}

/** The operator's program, on the service's table and with its clock. */
function operatorOf(
  service: TestService,
  { clock, edge }: { clock: Record<string, string>; edge: Record<string, string> },
): Today["operator"] {
  return async (command) => {
    const env = { ...functionEnvironment(service), NODE_OPTIONS: shiftedClock, ...clock, ...edge };
    const { code, stderr } = await runProgram("tools/operator.ts", command.split(" "), env);
    if (code !== 0) throw new Error(`seed ${seed}: ${command}: ${stderr}`);
  };
}

test(`a month passes, and every promise is kept on each day (seed ${seed})`, async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), "svc-month-"));
  const store = await startGamesStore();
  const edge = { GAMES_STORE_ARN: localStoreArn, GAMES_STORE_ENDPOINT: store.endpoint };
  // The store fails one call in ten: what it refuses then, the schedule writes.
  store.fault = () => (Math.random() < 0.1 ? new AmazonError("InternalServerException", 500, "Down") : undefined);
  const pointer = (slug: string) => store.store.edge(0).get(slug);
  const env = {
    GAMES_STORE_ENDPOINT: store.endpoint,
    IDP_PORT: String(await freePort()),
    TABLE_NAME: "svc-month",
    NODE_OPTIONS: shiftedClock,
    SVC_NOTICES_SECONDS: "0.3",
    SVC_SWEEP_SECONDS: "1",
    SVC_POINTERS_SECONDS: "1",
    KEPT_RELEASES: String(keptReleases),
    KEPT_DAYS: String(keptDays),
  };
  try {
    for (let day = 0; day < days; day += 1 + Math.floor(random() * mostDaysBetween)) {
      const clock = { CLOCK_SHIFT_SECONDS: String(day * 86_400) };
      const service = await startService({ dataFolder, env: { ...env, ...clock } });
      try {
        const actors = actorsOf(service);
        const people = new Map(
          await Promise.all(uids.map(async (uid) => [uid, await actors.stranger({ sub: uid })] as const)),
        );
        const actorOf = (uid: string) => people.get(uid) as Actor;
        if (day === 0) for (const uid of uids) await ok(actorOf(uid).post("/auth/session", { role: "dev" }));
        const broken = await live({
          day,
          service,
          actors,
          actorOf,
          pointer,
          operator: operatorOf(service, { clock, edge }),
        });
        expect({ seed, day, broken }).toEqual({ seed, day, broken: [] });
      } finally {
        await service.stop();
      }
    }
    console.log(`seed ${seed}: ${JSON.stringify(counts)}, ${delivered.length} notices`);
    expect(Object.keys(steps).filter((name) => !counts[name])).toEqual([]);
    expect(counts["sweptObjects"]).toBeGreaterThan(0);
    expect(store.operations.filter((operation) => operation === "UpdateKeys").length).toBeGreaterThan(days);
    expect(delivered.some(({ type }) => type === "token_expiring")).toBe(true);
  } finally {
    await store.stop();
    rmSync(dataFolder, { recursive: true, force: true });
  }
}, 900_000);
