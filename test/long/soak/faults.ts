import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { AmazonError } from "../../../local/amazon-server.ts";
import { freePort } from "../../../local/table/dynamodb-engine.ts";
import { startIdentityProvider } from "../../support/identity/identity-provider.ts";
import type { GamesStore } from "../../support/service/games-store.ts";
import { startRecordedService } from "../../support/service/recorded-service.ts";
import { startService, type TestService } from "../../support/service/service.ts";
import { startRecordedStore } from "../../support/store/store-recorder.ts";
import { edgeEnvironment } from "./edge.ts";

/** A service in which faults happen, one after the other. */
export interface TroubledService {
  /** Where its clients reach it, whichever process serves. */
  readonly service: TestService;
  /** Switches each fault on and off again in turn, until the time is over. */
  causeTrouble(until: number): Promise<void>;
  /** Whether an operation that began then, and ends now, may have failed because of a fault. */
  isInTrouble(since: number): boolean;
  /** How often each fault was switched on. */
  readonly counts: ReadonlyMap<string, number>;
  /** The process that serves now. */
  pid(): number | undefined;
  stop(): Promise<void>;
}

interface Trouble {
  readonly name: string;
  begin(): Promise<void>;
  end(): Promise<void>;
}

const troubleMilliseconds = 6_000;
const calmMilliseconds = 4_000;
/** What begins later than this after the end of a fault must succeed. */
const aftermathMilliseconds = 2_000;

export async function startTroubledService(games: GamesStore): Promise<TroubledService> {
  const [store, provider, port] = await Promise.all([startRecordedStore(), startIdentityProvider(), freePort()]);
  const env = {
    PORT: String(port),
    TABLE_NAME: `svc-test-${randomUUID()}`,
    S3_ENDPOINT: store.endpoint,
    BUCKET_NAME: store.bucketName,
    IDP_ISSUER: provider.issuer,
    IDP_JWKS_URI: provider.jwksUri,
    IDP_AUDIENCE: provider.audience,
    ...edgeEnvironment(games),
  };
  const first = await startRecordedService({ env });
  const { recorder, dynamodbEndpoint } = first;
  /** One after the other: each but the last was killed. */
  const services: TestService[] = [first];
  const running = () => services.at(-1) as TestService;
  const restart = async () => {
    services.push(await startService({ env, dynamodbEndpoint }));
  };
  const troubles: Trouble[] = [
    {
      name: "throttling",
      begin: async () =>
        recorder.plan(() =>
          Math.random() < 0.3 ? { kind: "refuse", error: "ProvisionedThroughputExceededException" } : undefined,
        ),
      end: async () => recorder.plan(undefined),
    },
    {
      name: "lost responses of the table",
      begin: async () => recorder.plan(() => (Math.random() < 0.1 ? { kind: "lose-response" } : undefined)),
      end: async () => recorder.plan(undefined),
    },
    {
      name: "slow store",
      begin: async () => store.plan(() => delay(300 + Math.random() * 1_500, undefined)),
      end: async () => store.plan(undefined),
    },
    {
      name: "failing store of the games' edge",
      begin: async () => {
        games.fault = () => new AmazonError("InternalServerException", 500, "Down");
      },
      end: async () => {
        games.fault = undefined;
      },
    },
    {
      name: "dying provider",
      begin: async () => {
        // The functions do not know the new key and cannot fetch it.
        provider.rotate();
        provider.respondWith((response) => response.destroy());
      },
      end: async () => provider.respondWith(undefined),
    },
    {
      name: "killed service",
      begin: async () => {
        running().process.kill("SIGKILL");
      },
      end: restart,
    },
  ];
  const counts = new Map<string, number>();
  let lastTrouble = Number.NEGATIVE_INFINITY;
  let isOn = false;
  return {
    service: { ...first, idToken: async (claims) => provider.idToken({ claims }) },
    counts,
    pid: () => running().process.pid,
    isInTrouble: (since) => isOn || since < lastTrouble + aftermathMilliseconds,
    causeTrouble: async (until) => {
      for (let turn = 0; ; turn += 1) {
        await delay(calmMilliseconds);
        if (performance.now() + troubleMilliseconds > until) return;
        const trouble = troubles[turn % troubles.length] as Trouble;
        isOn = true;
        await trouble.begin();
        await delay(troubleMilliseconds);
        await trouble.end();
        isOn = false;
        lastTrouble = performance.now();
        counts.set(trouble.name, (counts.get(trouble.name) ?? 0) + 1);
        recorder.clear();
      }
    },
    stop: async () => {
      // The first holds the engine of all. Each one's output is searched for secrets.
      for (const each of services.toReversed()) await each.stop();
      await Promise.all([store.stop(), provider.stop()]);
    },
  };
}
