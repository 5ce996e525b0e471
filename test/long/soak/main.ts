import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type GamesStore, startGamesStore } from "../../support/service/games-store.ts";
import { startService } from "../../support/service/service.ts";
import { brokenInvariants } from "../../support/table/invariants.ts";
import { everyItem } from "../../support/table/stored.ts";
import { checked } from "./calls.ts";
import { type Account, act, brokenClaims, newAccount } from "./clients.ts";
import { brokenPointers, edgeEnvironment } from "./edge.ts";
import { startTroubledService, type TroubledService } from "./faults.ts";
import { Measurements } from "./report.ts";

/*
 * `npm run soak -- [--minutes N] [--clients N] [--faults]`: for ten minutes a mix of all operations by as many clients as
 * keep two cores busy, four of them for each account. Every response is compared with the contract and with these claims:
 * a revoked token gets 401 from the next request on and makes no change live, a replaced one works on, there are never
 * more than 50 active tokens, one release is live, and a deleted project is not served until it is restored. After each
 * round the store of the games' edge has what each project is. With `--faults`, faults are switched on in turn meanwhile
 * (faults.ts): requests may then be refused with 503, and the claims hold all the same.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    clients: { type: "string", default: "16" },
    faults: { type: "boolean", default: false },
  },
});
const seconds = Number(values.minutes) * 60;
const clientsPerAccount = 4;
const clientCount = Number(values.clients);
/** How many clients act for each account: the last one may have fewer. */
const clientCounts = Array.from({ length: Math.ceil(clientCount / clientsPerAccount) }, (_, index) =>
  Math.min(clientsPerAccount, clientCount - index * clientsPerAccount),
);
/** An account's history is checked and begun anew after this long. */
const roundMilliseconds = 120_000;
const acceptableGrowth = 1.25;
/** The memory of the service reaches its height in the first two minutes. */
const warmUpSeconds = 300;

async function start(games: GamesStore): Promise<TroubledService> {
  if (values.faults) return await startTroubledService(games);
  const service = await startService({ env: edgeEnvironment(games) });
  const { pid } = service.process;
  const calm = { counts: new Map(), causeTrouble: async () => undefined, isInTrouble: () => false, pid: () => pid };
  return { service, ...calm, stop: service.stop };
}

async function main(): Promise<boolean> {
  const games = await startGamesStore();
  try {
    return await soak(games, await start(games));
  } finally {
    await games.stop();
  }
}

async function soak(games: GamesStore, troubled: TroubledService): Promise<boolean> {
  const { service } = troubled;
  try {
    const measurements = new Measurements();
    const startedAt = performance.now();
    const until = startedAt + seconds * 1_000;
    const watching = watch(() => measurements.noteMemory(troubled.pid()), until);
    const trouble = troubled.causeTrouble(until);
    const broken: string[] = [];
    while (performance.now() < until) {
      broken.push(...(await round(troubled, measurements, until)));
      broken.push(...(await brokenPointers(service, games)));
    }
    await Promise.all([watching, trouble]);
    broken.push(...brokenInvariants(await everyItem(service)));
    console.log(measurements.lines((performance.now() - startedAt) / 1_000).join("\n"));
    console.log(`checked: ${countsOf(Object.entries(checked))}`);
    if (values.faults) console.log(`faults: ${countsOf(troubled.counts)}`);
    for (const line of [...measurements.errors.slice(0, 20), ...broken.slice(0, 20)]) console.log(line);
    // A service that is killed and restarted does not show how its memory grows, and neither does one that is still warming up.
    const isFlat = values.faults || seconds < warmUpSeconds || measurements.growth < acceptableGrowth;
    if (!isFlat) console.log("The service's memory grows.");
    return measurements.errors.length === 0 && broken.length === 0 && isFlat;
  } finally {
    await troubled.stop();
  }
}

/** Lets new accounts act for some time and returns which claims their histories break. */
async function round(troubled: TroubledService, measurements: Measurements, until: number): Promise<string[]> {
  const accounts = await Promise.all(clientCounts.map(() => patientlyNewAccount(troubled)));
  const options = {
    until: Math.min(until, performance.now() + roundMilliseconds),
    isInTrouble: troubled.isInTrouble,
  };
  await Promise.all(
    accounts.flatMap((account, index) =>
      Array.from({ length: clientCounts[index] ?? 0 }, () => act(account, measurements, options)),
    ),
  );
  return accounts.flatMap(brokenClaims);
}

/** Tries again while the service fails. */
async function patientlyNewAccount({ service, isInTrouble }: TroubledService): Promise<Account> {
  for (;;) {
    const startedAt = performance.now();
    try {
      return await newAccount(service);
    } catch (error) {
      if (!isInTrouble(startedAt)) throw error;
      await delay(500);
    }
  }
}

function countsOf(counts: Iterable<readonly [string, number]>): string {
  return [...counts].map(([what, count]) => `${what} ${count}`).join(", ");
}

async function watch(look: () => void, until: number): Promise<void> {
  while (performance.now() < until) {
    look();
    await delay(500);
  }
}

main().then(
  (isFine) => {
    console.log(isFine ? "All held." : "NOT all held.");
    process.exitCode = isFine ? 0 : 1;
  },
  (error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  },
);
