import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { kebabCase, type RouteName } from "../../../contract/api/routes.ts";
import { bundleFolderOf, bundleFunctions } from "../../../infra/bundle.ts";
import { type Area, type Effort, type Measurement, number, ratioFigure, ratioText } from "../area.ts";
import { type Comparison, compare, inTurn } from "../harness/comparison.ts";
import { eventOf, requestsOf } from "../parts/requests.ts";
import { type BenchService, benchEnvironment, withService } from "../parts/service.ts";
import { startTlsProxy } from "../parts/tls-proxy.ts";
import { buildUsualFunctions, usualBundleOf } from "../parts/usual-build.ts";

const figures = {
  ratio: "cold `GET /me` beside the usual build, time",
  milliseconds: "cold `GET /me`, from import to the first response",
  largest: "the largest bundle of a function",
};

/** Functions that a player, a person and a CI job wait for: the smallest, the usual and the largest bundles. */
const measuredRoutes = [
  "getFile",
  "getMe",
  "exchangeGrant",
  "createRelease",
  "publishRelease",
] as const satisfies RouteName[];

/** The cold start of some functions, and the size of their bundles. */
export const area: Area = {
  name: "cold",
  title: "Cold start of a function",
  method: `From \`import\` of the bundle to the response of its first request, its first read of the table over TLS on loopback, in a
new process each time. Beside it the usual build of the same handlers (\`lab/bench/parts/usual-build.ts\`): an ES module by esbuild,
minified, with the SDK's document client and credential chain, all of zod, middy's defaults and Powertools' Logger. Memory is the
resident set of the whole process, Node's own included.`,
  decides: [figures.ratio],
  targets: {
    [figures.ratio]: { atMost: 0.6 },
    [figures.largest]: {
      atMost: 300,
      reasonNotMet:
        "what makes a release live also writes its pointer: the client of CloudFront's key-value store and SigV4a in JavaScript are 53 kB",
    },
  },
  measure,
};

interface Row {
  readonly name: RouteName;
  readonly sizeBytes: number;
  readonly cold: Comparison;
  readonly imported: Comparison;
  readonly memory: Comparison;
}

async function measure({ isQuick }: Effort): Promise<Measurement> {
  const sizes = new Map((await bundleFunctions()).map(({ name, sizeBytes }) => [name, sizeBytes]));
  await buildUsualFunctions();
  const rows: Row[] = await withService(async (service) => {
    const proxy = await startTlsProxy(service.dynamodbEndpoint);
    const environment = { ...benchEnvironment(service, proxy.endpoint), NODE_TLS_REJECT_UNAUTHORIZED: "0" };
    const measured: Row[] = [];
    for (const name of measuredRoutes) {
      const starts = await measureFunction(name, {
        service,
        environment,
        rounds: isQuick ? 1 : 15,
        warmUps: isQuick ? 0 : 1,
      });
      measured.push({ name, sizeBytes: sizes.get(kebabCase(name)) ?? 0, ...starts });
      console.log(`${name}: ${ratioText(starts.cold)}`);
    }
    await proxy.stop();
    return measured;
  });
  return resultOf(rows, Math.max(...sizes.values()));
}

const run = promisify(execFile);
const child = fileURLToPath(new URL("../parts/cold-child.mjs", import.meta.url));

async function measureFunction(
  name: RouteName,
  options: { service: BenchService; environment: Record<string, string>; rounds: number; warmUps: number },
): Promise<Pick<Row, "cold" | "imported" | "memory">> {
  const { service, environment, rounds, warmUps } = options;
  const requests = await requestsOf(name, service.actors, 2 * (rounds + warmUps));
  const env = { PATH: process.env["PATH"], HOME: process.env["HOME"], ...environment };
  const start = (bundle: string) => async () => {
    const request = requests.pop();
    if (request === undefined) throw new RangeError("No request is left");
    const { stdout } = await run(process.execPath, ["--no-warnings", child, bundle, JSON.stringify(eventOf(request))], {
      env,
    });
    return JSON.parse(stdout) as { coldMilliseconds: number; importMilliseconds: number; memoryMebibytes: number };
  };
  const bundle = join(bundleFolderOf(kebabCase(name)), "index.mjs");
  const contenders = { ours: start(bundle), usual: start(usualBundleOf(kebabCase(name))) };
  const { ours, usual } = await inTurn(contenders, { rounds, warmUps });
  return {
    cold: compare(ours.coldMilliseconds, usual.coldMilliseconds),
    imported: compare(ours.importMilliseconds, usual.importMilliseconds),
    memory: compare(ours.memoryMebibytes, usual.memoryMebibytes),
  };
}

function resultOf(rows: readonly Row[], largestBytes: number): Measurement {
  const me = rows.find(({ name }) => name === "getMe") as Row;
  return {
    figures: {
      [figures.ratio]: ratioFigure(me.cold),
      [figures.milliseconds]: { value: me.cold.ours, unit: "ms" },
      [figures.largest]: { value: largestBytes / 1_000, unit: "kB" },
    },
    table: {
      head: ["function", "cold, ms", "usual build, ms", "ratio", "import, ms", "memory, MiB", "bundle, kB"],
      rows: rows.map(({ name, cold, imported, memory, sizeBytes }) => [
        kebabCase(name),
        number(cold.ours),
        number(cold.theirs),
        ratioText(cold),
        number(imported.ours),
        number(memory.ours),
        number(sizeBytes / 1_000),
      ]),
    },
  };
}
