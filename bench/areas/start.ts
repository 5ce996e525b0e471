import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { median } from "simple-statistics";
import { bundleFolderOf } from "../../infra/bundle.ts";
import { barChart } from "../harness/chart.ts";
import type { Effort } from "../harness/effort.ts";
import { measureProcess } from "../harness/processes.ts";
import { inTurn, type Series } from "../harness/rounds.ts";
import { number, type Section, table } from "../harness/section.ts";
import { atMost, targetList } from "../harness/targets.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const most = { firstSeconds: 5, againSeconds: 2, synthSeconds: 5 };

/** What a developer of svc waits for: `npm start` until it serves, and `cdk synth`. */
export async function start({ isQuick }: Effort): Promise<Section> {
  const folder = await mkdtemp(join(tmpdir(), "svc-bench-start-"));
  const cdk = join(root, "node_modules/.bin/cdk");
  const synth = ["synth", "--quiet", "-c", "stage=staging", "--output", join(folder, "cdk.out")];
  try {
    const series = await inTurn(
      {
        first: () => firstStart(join(folder, "compiled")),
        again: () => secondsUntilReady(join(folder, "compiled")),
        synth: () => secondsOf([cdk, ...synth], folder),
        byNpx: () => secondsOf(["npx", "cdk", ...synth], folder),
        commandLine: () => secondsOf([cdk, "--version"], folder),
        bundling: () => secondsOf([process.execPath, "infra/bundle.ts"], folder),
      },
      { rounds: isQuick ? 1 : 7, warmUps: isQuick ? 0 : 1 },
    );
    return section(series);
  } finally {
    await rm(folder, { recursive: true });
  }
}

type Measured = "first" | "again" | "synth" | "byNpx" | "commandLine" | "bundling";

/** As after `npm ci`: nothing is bundled, and Node has kept nothing that it compiled. */
async function firstStart(compileCache: string): Promise<{ seconds: number }> {
  await rm(compileCache, { recursive: true, force: true });
  await rm(dirname(bundleFolderOf("any")), { recursive: true, force: true });
  return await secondsUntilReady(compileCache);
}

async function secondsUntilReady(compileCache: string): Promise<{ seconds: number }> {
  const started = performance.now();
  const child = spawn("npm", ["start"], {
    cwd: root,
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, PORT: "0", IDP_PORT: "0", NODE_COMPILE_CACHE: compileCache },
  });
  const exited = once(child, "exit");
  let output = "";
  for await (const chunk of child.stdout.setEncoding("utf8").iterator({ destroyOnReturn: false })) {
    output += chunk;
    if (output.includes("svc is ready at")) break;
  }
  const seconds = (performance.now() - started) / 1_000;
  if (!output.includes("svc is ready at")) throw new Error(`npm start ended:\n${output}`);
  // npm and the stage are a group of their own.
  process.kill(-(child.pid as number), "SIGTERM");
  await exited;
  return { seconds };
}

async function secondsOf(words: readonly string[], home: string): Promise<{ seconds: number }> {
  const { wallMilliseconds } = await measureProcess({ words, cwd: root, env: { HOME: home } });
  return { seconds: wallMilliseconds / 1_000 };
}

function section(series: Record<Measured, Series<{ seconds: number }>>): Section {
  const of = (name: Measured) => median([...series[name].seconds]);
  const targets = [
    atMost("`npm start` in a fresh clone until it serves", of("first"), most.firstSeconds, " s"),
    atMost("`npm start` once built", of("again"), most.againSeconds, " s"),
    atMost("`cdk synth` of all routes", of("synth"), most.synthSeconds, " s"),
  ];
  const rows = [
    { name: "npm start, first", seconds: series.first.seconds, most: most.firstSeconds },
    { name: "npm start, once built", seconds: series.again.seconds, most: most.againSeconds },
    { name: "cdk synth", seconds: series.synth.seconds, most: most.synthSeconds },
    { name: "npx cdk synth", seconds: series.byNpx.seconds, most: null },
    { name: "cdk --version", seconds: series.commandLine.seconds, most: null },
    { name: "node infra/bundle.ts", seconds: series.bundling.seconds, most: null },
  ];
  return {
    targets,
    markdown: `## Starting the stage, and synthesising the stack

From the command to the line \`svc is ready at …\`: in a clone where nothing has been bundled or compiled, and again. And
\`cdk synth -c stage=staging\` with every function bundled and cdk-nag's rules run, once as it is and once by \`npx\`, which starts
npm first. \`cdk --version\` is what the CDK's command line takes to start, \`node infra/bundle.ts\` one pass of esbuild over all
functions; the rest of a synth is loading the CDK, making the stack and the rules. ${series.first.seconds.length} rounds, in turn; the median.

${targetList(targets)}

![Time until the stage serves and the stack is synthesised](plots/start.svg)

${table(
  ["command", "s", "fastest", "slowest"],
  rows.map(({ name, seconds }) => [
    `\`${name}\``,
    number(median([...seconds])),
    number(Math.min(...seconds)),
    number(Math.max(...seconds)),
  ]),
)}`,
    plots: {
      "start.svg": barChart({
        title: `The whole service runs ${number(of("again"))} s after npm start`,
        subtitle: "Seconds until it serves, or the stack is synthesised, beside what was promised; shorter is better",
        categories: rows.map(({ name }) => name),
        series: {
          measured: rows.map(({ seconds }) => median([...seconds])),
          "promised: at most": rows.map((row) => row.most),
        },
        label: (value) => `${number(value)} s`,
      }),
    },
  };
}
