import { setTimeout as delay } from "node:timers/promises";
import { brokenInvariants } from "../../support/invariants.ts";
import { startService } from "../../support/service.ts";
import { everyItem } from "../../support/stored.ts";
import { act, brokenClaims, checked, newAccount } from "./clients.ts";
import { Measurements } from "./report.ts";

/*
 * `npm run soak`: for ten minutes (SOAK_SECONDS) a mix of all operations by as many clients (SOAK_CLIENTS) as keep two
 * cores busy, four of them for each account. Every response is held against the contract and against four claims: a
 * revoked token gets 401 from the next request on and makes no change live, there are never more than 50 active tokens,
 * and one release is live.
 */
const seconds = Number(process.env["SOAK_SECONDS"] ?? 600);
const clients = Number(process.env["SOAK_CLIENTS"] ?? 16);
const clientsPerAccount = 4;
const acceptableGrowth = 1.25;

async function main(): Promise<boolean> {
  const service = await startService();
  try {
    const accounts = await Promise.all(
      Array.from({ length: Math.ceil(clients / clientsPerAccount) }, () => newAccount(service)),
    );
    const measurements = new Measurements();
    const startedAt = performance.now();
    const until = startedAt + seconds * 1_000;
    const watching = watch(() => measurements.noteMemory(service.process.pid), until);
    await Promise.all(
      accounts.flatMap((account) => Array.from({ length: clientsPerAccount }, () => act(account, measurements, until))),
    );
    await watching;
    const broken = [...accounts.flatMap(brokenClaims), ...brokenInvariants(await everyItem(service))];
    console.log(measurements.lines((performance.now() - startedAt) / 1_000).join("\n"));
    console.log(
      `checked: ${Object.entries(checked)
        .map(([what, count]) => `${what} ${count}`)
        .join(", ")}`,
    );
    for (const line of [...measurements.errors.slice(0, 20), ...broken.slice(0, 20)]) console.log(line);
    const isFlat = seconds < 60 || measurements.growth < acceptableGrowth;
    if (!isFlat) console.log("The service's memory grows.");
    return measurements.errors.length === 0 && broken.length === 0 && isFlat;
  } finally {
    await service.stop();
  }
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
