import { setTimeout as delay } from "node:timers/promises";
import { type Actor, actorsOf } from "../../test/support/service/actors.ts";
import { functionEnvironment } from "../../test/support/service/function-environment.ts";
import type { TestService } from "../../test/support/service/service.ts";
import { everyItem } from "../../test/support/table/stored.ts";
import { act, brokenClaims, newAccount } from "./clients.ts";
import { checked, Measurements } from "./measurements.ts";
import { counts, delivered, ok, oneOf, random, type Today, uids } from "./model.ts";
import { brokenLedgers, brokenPromises } from "./promises.ts";
import { steps } from "./steps.ts";
import { startTroubledService, type TroubledService, type TroublePlan } from "./troubled-service.ts";

export interface WalkOptions {
  /** Clients that act at the same time on a busy day, four of them for each account. */
  readonly clients: number;
  /** Time for which they act. */
  readonly busyMilliseconds: number;
  /** Undefined: no fault happens, and the memory of the service is measured. */
  readonly trouble: TroublePlan | undefined;
  /** Whether the walk is over before the busy day of this number. */
  isOver(day: number): boolean;
}

/** Result of a walk: what it has found and done. */
export interface WalkResult {
  /** Sentences about everything that was not as it must be. */
  readonly broken: readonly string[];
  readonly measurements: Measurements;
  readonly faults: Readonly<Record<string, number>>;
  readonly pointerWrites: number;
}

const clientsPerAccount = 4;
/** The history of an account is checked after this long, and others act from then on. */
const roundMilliseconds = 120_000;
const maxDaysBetween = 3;
const stepsPerDay = 16;

/**
 * A service through many days, each in a process of its own whose clock is moved ahead, on the same table and bucket.
 *
 * - On a busy day clients do everything at the same time on accounts of their own while faults happen, kills too. Responses
 *   may be refusals with 503 then, and the claims about overlapping responses hold all the same (claims.ts).
 * - On the calm day after it, three developers and the operator do first what they have never done, then what they can, chosen
 *   at random. The sweep and the delivery of notices run. Then every promise is compared with a model, and the stored
 *   items with the invariants: nothing that the faults left may break one (promises.ts).
 * - At the end so much time passes that no release is open any more: what is counted of each project is what is stored.
 */
export async function walk(options: WalkOptions): Promise<WalkResult> {
  const troubled = await startTroubledService();
  const measurements = new Measurements();
  const broken: string[] = [];
  try {
    let day = 0;
    for (; !options.isOver(day); day += 2 + Math.floor(random() * maxDaysBetween)) {
      broken.push(...(await onDay(troubled, day, (service) => busyDay({ troubled, service, measurements, options }))));
      troubled.failPointersNowAndThen();
      broken.push(...(await onDay(troubled, day + 1, (service) => calmDay(troubled, service, day + 1))));
      troubled.games.fault = undefined;
    }
    // The first of these sweeps deletes what was given up, the second what is left of deleted projects.
    for (const later of [30, 60])
      broken.push(...(await onDay(troubled, day + later, (service) => lastDay(troubled, service, day + later))));
    const pointerWrites = troubled.games.operations.filter((operation) => operation === "UpdateKeys").length;
    return { broken, measurements, faults: troubled.counts, pointerWrites };
  } finally {
    await troubled.close();
  }
}

/** Starts the service on a day, lets something happen, and stops it; returns what is wrong, with the day. */
async function onDay(
  troubled: TroubledService,
  day: number,
  happens: (service: TestService) => Promise<readonly string[]>,
): Promise<string[]> {
  const service = await troubled.start(day);
  Object.assign(process.env, functionEnvironment(service));
  try {
    return (await happens(service)).map((line) => `day ${day}: ${line}`);
  } finally {
    await troubled.stop();
  }
}

interface BusyDay {
  readonly troubled: TroubledService;
  readonly service: TestService;
  readonly measurements: Measurements;
  readonly options: WalkOptions;
}

async function busyDay(busy: BusyDay): Promise<string[]> {
  const { troubled, options, measurements } = busy;
  const broken: string[] = [];
  for (let left = options.busyMilliseconds; left > 0; left -= roundMilliseconds) {
    const accounts = await Promise.all(clientCounts(options.clients).map(() => newAccount(busy.service)));
    const until = performance.now() + Math.min(left, roundMilliseconds);
    const { isInTrouble } = troubled;
    await Promise.all([
      options.trouble ? troubled.causeTrouble(until, options.trouble) : watchMemory(busy, until),
      ...accounts.flatMap((account, index) =>
        Array.from({ length: clientCounts(options.clients)[index] ?? 0 }, () =>
          act(account, measurements, { until, isInTrouble }),
        ),
      ),
    ]);
    broken.push(...accounts.flatMap(brokenClaims));
  }
  return broken;
}

/** Numbers of clients for each account: the last one may have fewer. */
function clientCounts(clients: number): number[] {
  return Array.from({ length: Math.ceil(clients / clientsPerAccount) }, (_, index) =>
    Math.min(clientsPerAccount, clients - index * clientsPerAccount),
  );
}

async function watchMemory({ troubled, measurements }: BusyDay, until: number): Promise<void> {
  while (performance.now() < until) {
    measurements.noteMemory(troubled.pid());
    await delay(500);
  }
}

async function todayOf(troubled: TroubledService, service: TestService, day: number): Promise<Today> {
  const actors = actorsOf(service);
  const people = new Map(
    await Promise.all(uids.map(async (uid) => [uid, await actors.stranger({ sub: uid })] as const)),
  );
  const edge = troubled.games.store.edge(0);
  return {
    day,
    service,
    actors,
    actorOf: (uid) => people.get(uid) as Actor,
    pointer: (slug) => edge.get(slug),
    operator: (command) => troubled.operator(service, command),
  };
}

async function calmDay(troubled: TroubledService, service: TestService, day: number): Promise<string[]> {
  const today = await todayOf(troubled, service, day);
  for (const uid of uids) await ok(today.actorOf(uid).post("/auth/session", { role: "dev" }));
  const names = Object.keys(steps);
  const never = names.filter((name) => !counts[name]);
  for (let count = 0; count < stepsPerDay; count += 1) {
    const name = never[count] ?? (oneOf([...names, "publish", "publish", "rollBack"]) as string);
    if (await steps[name]?.(today)) counts[name] = (counts[name] ?? 0) + 1;
  }
  await waitFor("the delivery of notices", async () => !(await everyItem(service)).some(isDueNotice(day)));
  await waitFor("the sweep", () => service.output().includes("projects swept"));
  const [, objects = "0"] = /(\d+) objects deleted/.exec(service.output()) ?? [];
  counts["sweptObjects"] = (counts["sweptObjects"] ?? 0) + Number(objects);
  return await brokenPromises(today);
}

function isDueNotice(day: number): (item: Readonly<Record<string, unknown>>) => boolean {
  const now = Date.now() + day * 86_400_000;
  return ({ PK, at }) => String(PK).startsWith("OUTBOX#") && Date.parse(String(at)) < now;
}

async function lastDay(troubled: TroubledService, service: TestService, day: number): Promise<string[]> {
  await waitFor("the sweep", () => service.output().includes("projects swept"));
  await waitFor("the delivery of notices", async () => !(await everyItem(service)).some(isDueNotice(day)));
  const ledgers = await brokenLedgers(await everyItem(service), { isExact: true });
  return [...ledgers, ...(await brokenPromises(await todayOf(troubled, service, day)))];
}

async function waitFor(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let waited = 0; waited < 600; waited += 1) {
    if (await isSo()) return;
    await delay(100);
  }
  throw new Error(`${what} did not happen within a minute`);
}

/** Parts that a walk lacks, but must have to show anything. */
export function unwalked({ pointerWrites, faults }: WalkResult, faultsExpected: number): string[] {
  return [
    ...Object.keys(steps).flatMap((name) => (counts[name] ? [] : [`nobody did ${name}`])),
    ...Object.entries({ ...checked, lostRaces: 1 }).flatMap(([name, count]) => (count > 0 ? [] : [`${name}: none`])),
    ...(counts["sweptObjects"] ? [] : ["the sweep deleted nothing"]),
    ...(pointerWrites > 0 ? [] : ["no pointer was written"]),
    ...(delivered.some(({ type }) => type === "token_expiring") ? [] : ["no expiry was announced"]),
    ...(Object.keys(faults).length >= faultsExpected ? [] : [`only these faults: ${Object.keys(faults)}`]),
  ];
}
