import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { AmazonError } from "../../local/amazon-server.ts";
import { localStoreArn } from "../../local/pointers/store-server.ts";
import { freePort, startDynamodbEngine } from "../../local/table/dynamodb-engine.ts";
import { startIdentityProvider } from "../../test/support/identity/identity-provider.ts";
import { runProgram } from "../../test/support/program.ts";
import { functionEnvironment } from "../../test/support/service/function-environment.ts";
import { startGamesStore } from "../../test/support/service/games-store.ts";
import { startService, type TestService } from "../../test/support/service/service.ts";
import { startRecordedStore } from "../../test/support/store/store-recorder.ts";
import { startRecorder } from "../../test/support/table/dynamodb-recorder.ts";
import { keptDays, keptReleases, quota } from "./model.ts";

export type TroubledService = Awaited<ReturnType<typeof startTroubledService>>;

export interface TroublePlan {
  readonly troubleMilliseconds: number;
  readonly calmMilliseconds: number;
}

const shiftedClock = `--import=${fileURLToPath(new URL("../../test/support/shift-clock.mjs", import.meta.url))}`;
/** Requests that begin later than this after a fault must succeed. */
const aftermathMilliseconds = 2_000;
const chance = <T>(share: number, value: T): T | undefined => (Math.random() < share ? value : undefined);
const isDown = () => new AmazonError("InternalServerException", 500, "Down");

/**
 * A service that is stopped and started again with its clock moved, on the same table, bucket and identity provider, and in
 * which faults happen one after the other.
 */
export async function startTroubledService() {
  const [store, games, provider, port, engine] = await Promise.all([
    // Its clock stays while the service goes through the days.
    startRecordedStore(undefined, { skewMilliseconds: Number.POSITIVE_INFINITY }),
    startGamesStore(),
    startIdentityProvider(),
    freePort(),
    startDynamodbEngine(undefined),
  ]);
  const recorder = await startRecorder(engine.endpoint);
  /** Those of the current day: each but the last was killed. */
  const running: TestService[] = [];
  let day = 0;
  const startProcess = async () => {
    const env = {
      PORT: String(port),
      TABLE_NAME: tableName,
      S3_ENDPOINT: store.endpoint,
      BUCKET_NAME: store.bucketName,
      IDP_ISSUER: provider.issuer,
      IDP_JWKS_URI: provider.jwksUri,
      IDP_AUDIENCE: provider.audience,
      GAMES_STORE_ENDPOINT: games.endpoint,
      NODE_OPTIONS: shiftedClock,
      CLOCK_SHIFT_SECONDS: String(day * 86_400),
      SVC_NOTICES_SECONDS: "0.3",
      SVC_SWEEP_SECONDS: "1",
      SVC_POINTERS_SECONDS: "1",
      SVC_SCHEDULED_SECONDS: "1",
      KEPT_RELEASES: String(keptReleases),
      KEPT_DAYS: String(keptDays),
      BYTES_PER_PROJECT: String(quota.project.bytes),
      OBJECTS_PER_PROJECT: String(quota.project.objects),
      BYTES_PER_ACCOUNT: String(quota.account.bytes),
      OBJECTS_PER_ACCOUNT: String(quota.account.objects),
    };
    const service = await startService({ env, dynamodbEndpoint: recorder.endpoint, tableEndpoint: engine.endpoint });
    running.push(service);
    return service;
  };
  const tableName = `svc-walk-${randomUUID()}`;
  const last = () => running.at(-1) as TestService;
  const idToken = async (claims: Readonly<Record<string, unknown>>) => {
    const now = Math.floor(Date.now() / 1_000) + day * 86_400;
    return provider.idToken({ claims: { iat: now, auth_time: now, exp: now + 2 * 3_600, ...claims } });
  };

  /** Faults that occur, each switched on and off. */
  const faults: readonly (readonly [string, (isOn: boolean) => unknown])[] = [
    [
      "throttled table",
      (isOn) =>
        recorder.plan(
          isOn ? () => chance(0.3, { kind: "refuse", error: "ProvisionedThroughputExceededException" }) : undefined,
        ),
    ],
    [
      "lost responses of the table",
      (isOn) => recorder.plan(isOn ? () => chance(0.1, { kind: "lose-response" }) : undefined),
    ],
    ["killed service", async (isOn) => (isOn ? last().process.kill("SIGKILL") : await startProcess())],
    [
      "failing bucket",
      (isOn) =>
        store.plan(isOn ? () => chance(0.3, (["lose-response", "break", 503] as const)[randomIndex(3)]) : undefined),
    ],
    ["slow bucket", (isOn) => store.plan(isOn ? () => delay(300 + Math.random() * 1_500, undefined) : undefined)],
    [
      "failing store of the games' edge",
      (isOn) => {
        games.fault = isOn ? isDown : undefined;
      },
    ],
    [
      "failing identity provider",
      (isOn) => {
        // The functions do not know the new key and cannot fetch it.
        if (isOn) provider.rotate();
        provider.respondWith(isOn ? (response) => response.destroy() : undefined);
      },
    ],
  ];
  const counts: Record<string, number> = {};
  let turn = 0;
  let isOn = false;
  let lastFaultAt = Number.NEGATIVE_INFINITY;

  return {
    games,
    /** Number of times that each fault was switched on. */
    counts,
    /** Starts the service with its clock moved by these days. */
    start: async (newDay: number): Promise<TestService> => {
      day = newDay;
      const service = await startProcess();
      const output = () => running.map((each) => each.output()).join("\n");
      return { ...service, idToken, output };
    },
    /** Stops what serves. The output of each process is searched for secrets. */
    stop: async () => {
      for (const each of running.splice(0)) await each.stop();
      recorder.clear();
    },
    /** One write in ten of pointers fails from now on: the schedule repeats them. */
    failPointersNowAndThen: () => {
      games.fault = () => chance(0.1, isDown());
    },
    /** Runs a command of the operator's program, on the service's table and with its clock. */
    operator: async (service: TestService, command: string): Promise<void> => {
      const { code, stderr } = await runProgram("programs/operator.ts", command.split(" "), {
        ...functionEnvironment(service),
        NODE_OPTIONS: shiftedClock,
        CLOCK_SHIFT_SECONDS: String(day * 86_400),
        GAMES_STORE_ARN: localStoreArn,
        GAMES_STORE_ENDPOINT: games.endpoint,
      });
      if (code !== 0) throw new Error(`${command}: ${stderr}`);
    },
    /** Whether a request that was sent then, and has its response now, may have failed because of a fault. */
    isInTrouble: (since: number) => isOn || since < lastFaultAt + aftermathMilliseconds,
    /** Switches one fault after the other on and off again, until the time is over. */
    causeTrouble: async (until: number, { troubleMilliseconds, calmMilliseconds }: TroublePlan): Promise<void> => {
      for (;;) {
        await delay(calmMilliseconds);
        if (performance.now() + troubleMilliseconds > until) return;
        const [name, change] = faults[turn++ % faults.length] as (typeof faults)[number];
        isOn = true;
        await change(true);
        await delay(troubleMilliseconds);
        await change(false);
        isOn = false;
        lastFaultAt = performance.now();
        counts[name] = (counts[name] ?? 0) + 1;
        recorder.clear();
      }
    },
    pid: () => last().process.pid,
    close: async () => {
      for (const each of running) await each.stop();
      for (const part of [recorder, engine, store, games, provider]) await part.stop();
    },
  };
}

function randomIndex(length: number): number {
  return Math.floor(Math.random() * length);
}
