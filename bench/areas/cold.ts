import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { kebabCase } from "../../contract/routes.ts";
import { bundleFolderOf, bundleFunctions } from "../../infra/bundle.ts";
import { barChart } from "../harness/chart.ts";
import { type Comparison, compare } from "../harness/comparison.ts";
import type { Effort } from "../harness/effort.ts";
import { inTurn } from "../harness/rounds.ts";
import { number, ratio, type Section, table } from "../harness/section.ts";
import { atMost, targetList } from "../harness/targets.ts";
import { buildUsualFunctions, usualBundleOf } from "../peers/usual-build.ts";
import { type BenchService, functionEnvironment, withService } from "../stage/bench-stage.ts";
import { type Case, cases } from "../stage/cases.ts";
import { contextOf, eventOf } from "../stage/invocation.ts";
import { startTlsProxy } from "../stage/tls-proxy.ts";

const child = fileURLToPath(new URL("cold-child.mjs", import.meta.url));
const run = promisify(execFile);

interface ColdStart {
  readonly importMilliseconds: number;
  readonly firstMilliseconds: number;
  readonly coldMilliseconds: number;
  readonly processMilliseconds: number;
  readonly memoryMebibytes: number;
  readonly [measure: string]: number;
}

interface Row {
  readonly name: string;
  readonly sizeBytes: number;
  readonly usualSizeBytes: number;
  readonly cold: Comparison;
  readonly process: Comparison;
  readonly imported: Comparison;
  readonly first: Comparison;
  readonly memory: Comparison;
}

/**
 * The cold start of every function: a new process imports the bundle and answers one request, its first read of the
 * table over TLS on loopback, beside the usual build of the same handler.
 */
export async function cold({ isQuick }: Effort): Promise<Section> {
  const rounds = isQuick ? 3 : 15;
  const sizes = new Map((await bundleFunctions()).map(({ name, sizeBytes }) => [name, sizeBytes]));
  const usualSizes = await buildUsualFunctions();
  const rows = await withService(async (stage) => {
    const proxy = await startTlsProxy(stage.dynamodbEndpoint);
    const environment = { ...functionEnvironment(stage, proxy.endpoint), NODE_TLS_REJECT_UNAUTHORIZED: "0" };
    const measured: Row[] = [];
    for (const one of oneCaseOfEach()) {
      const name = kebabCase(one.route);
      const times = await measureFunction({ stage, environment, one, rounds });
      measured.push({ name, sizeBytes: sizes.get(name) ?? 0, usualSizeBytes: usualSizes.get(name) ?? 0, ...times });
      console.log(`${name}: ${ratio(times.cold)}`);
    }
    await proxy.stop();
    return measured;
  });
  return section(rows, rounds);
}

/** The first case of a route, except where a personal access token's is to be had: its way is the longest. */
function oneCaseOfEach(): Case[] {
  return [...Map.groupBy(cases(), ({ route }) => route).values()].map((of) => of[0] as Case);
}

async function measureFunction(options: {
  stage: BenchService;
  environment: Record<string, string>;
  one: Case;
  rounds: number;
}): Promise<Pick<Row, "cold" | "process" | "imported" | "first" | "memory">> {
  const { stage, environment, one, rounds } = options;
  const warmUps = 1;
  const requests = await one.prepare(stage.actors, 2 * (rounds + warmUps));
  const env = { PATH: process.env["PATH"], HOME: process.env["HOME"], ...environment };
  const start = (bundle: string) => async (): Promise<ColdStart> => {
    const request = requests.pop();
    if (request === undefined) throw new RangeError("No request is left");
    const input = JSON.stringify({ event: eventOf(one.route, request), context: contextOf(one.route) });
    const { stdout } = await run(process.execPath, ["--no-warnings", child, bundle, input], { env });
    return JSON.parse(stdout);
  };
  const name = kebabCase(one.route);
  const { ours, usual } = await inTurn(
    { ours: start(join(bundleFolderOf(name), "index.mjs")), usual: start(usualBundleOf(name)) },
    { rounds, warmUps },
  );
  const of = (measure: keyof ColdStart) => compare(ours[measure] as number[], usual[measure] as number[]);
  return {
    cold: of("coldMilliseconds"),
    process: of("processMilliseconds"),
    imported: of("importMilliseconds"),
    first: of("firstMilliseconds"),
    memory: of("memoryMebibytes"),
  };
}

/** Of GET /me: of the usual build's time, and of bytes. */
const most = { ratio: 0.6, kilobytes: 300 };

function section(rows: readonly Row[], rounds: number): Section {
  const me = rows.find(({ name }) => name === "get-me");
  const largest = Math.max(...rows.map(({ sizeBytes }) => sizeBytes));
  const targets = [
    ...(me ? [atMost("cold `GET /me` beside the usual build, time", me.cold, most.ratio, " ×")] : []),
    atMost("the largest of the bundles", largest / 1_000, most.kilobytes, " kB"),
  ];
  return {
    targets,
    markdown: `## Cold start of every function

From \`import\` of the bundle to the response of its first request, its first table read over TLS on loopback, in a new
process each time; ${rounds} pairs. Beside it the usual build of the same sources (\`bench/peers/usual-build.ts\`): an ES module by
esbuild, minified, with the SDK's document client and credential chain, \`import { z } from "zod"\`, middy's defaults and
Powertools' Logger.

${targetList(targets)}

With Node's own start counted in, \`GET /me\` takes ${me ? ratio(me.process) : ""} of the time.

![Cold starts](plots/cold.svg)

${table(
  ["function", "svc, ms", "usual build, ms", "ratio", "memory, MiB", "usual, MiB", "bundle, kB", "usual, kB"],
  rows.map((row) => [
    row.name,
    number(row.cold.ours),
    number(row.cold.theirs),
    ratio(row.cold),
    number(row.memory.ours),
    number(row.memory.theirs),
    number(row.sizeBytes / 1_000),
    number(row.usualSizeBytes / 1_000),
  ]),
)}`,
    plots: {
      "cold.svg": barChart({
        title: `A cold function answers in ${percent(rows)} of the usual build's time`,
        subtitle:
          "Milliseconds from import to the first response, first table read over TLS on loopback; shorter is better",
        categories: rows.map(({ name }) => name),
        series: {
          svc: rows.map(({ cold }) => cold.ours),
          "the same handler, usual build": rows.map(({ cold }) => cold.theirs),
        },
        label: number,
      }),
    },
    documents: { "docs/functions.md": functionsDocument(rows) },
  };
}

function percent(rows: readonly Row[]): string {
  const ratios = rows.map(({ cold }) => cold.ratio * 100);
  return `${Math.min(...ratios).toFixed(0)} to ${Math.max(...ratios).toFixed(0)} %`;
}

function functionsDocument(rows: readonly Row[]): string {
  return `# The functions

Written by \`npm run bench -- cold\`. Size: of the minified bundle that is deployed. Import: from \`import\` to its end in a
new process. First request: from the event to the response, first table read over TLS on loopback included. Memory: the
resident set of the whole process after it, Node's own included. Beside what, on which machine and how: [bench/RESULTS.md](../bench/RESULTS.md).

${table(
  ["function", "size, kB", "import, ms", "first request, ms", "memory, MiB"],
  rows.map(({ name, sizeBytes, imported, first, memory }) => [
    name,
    number(sizeBytes / 1_000),
    number(imported.ours),
    number(first.ours),
    number(memory.ours),
  ]),
)}
`;
}
