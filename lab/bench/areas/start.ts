import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { median } from "simple-statistics";
import type { Area, Effort, Figure, Measurement } from "../area.ts";
import { inTurn } from "../harness/comparison.ts";
import { measureProcess } from "../harness/processes.ts";

const figures = {
  first: "`npm start` in a fresh clone until it serves",
  again: "`npm start` once built until it serves",
  synth: "`cdk synth`",
};

/** The start of the local service, and a synth. */
export const area: Area = {
  name: "start",
  title: "Starting the local service, and synthesising the stack",
  method: `From the command to the line \`svc is ready\`: in a clone where nothing has been bundled or compiled, and again. And
\`cdk synth -c stage=staging\` with every function bundled and cdk-nag's rules run.`,
  decides: [figures.first, figures.synth],
  targets: {
    [figures.first]: { atMost: 5 },
    [figures.again]: { atMost: 2 },
    [figures.synth]: {
      atMost: 5,
      reasonNotMet: "a stage has 41 routes; with the 20 that it had when the goal was set, it took 4.5 s (c031ca7)",
    },
  },
  measure,
};

const root = fileURLToPath(new URL("../../..", import.meta.url));
/** What nothing reads when the service starts, and the modules: those of the clone are these. */
const leftOut = /\/(node_modules|\.git|cdk\.out|\.svc-data|build\/(bench|mutants|package-\w+))$/;

async function measure({ isQuick }: Effort): Promise<Measurement> {
  const folder = await mkdtemp(join(tmpdir(), "svc-bench-start-"));
  // Not in this folder: its bundles are in use while tests run at the same time.
  const clone = join(folder, "clone");
  await cp(root, clone, { recursive: true, preserveTimestamps: true, filter: (path) => !leftOut.test(path) });
  await symlink(join(root, "node_modules"), join(clone, "node_modules"));
  const compileCache = join(folder, "compiled");
  const cdk = join(root, "node_modules/.bin/cdk");
  const synth = [cdk, "synth", "--quiet", "-c", "stage=staging", "--output", join(folder, "cdk.out")];
  try {
    const series = await inTurn(
      {
        first: async () => {
          await rm(compileCache, { recursive: true, force: true });
          await rm(join(clone, "build/functions"), { recursive: true, force: true });
          return await secondsUntilReady(clone, compileCache);
        },
        again: () => secondsUntilReady(clone, compileCache),
        synth: () => secondsOf(synth, { cwd: clone, home: folder }),
      },
      { rounds: isQuick ? 1 : 7, warmUps: isQuick ? 0 : 1 },
    );
    const of = (name: keyof typeof series): Figure => ({ value: median([...series[name].seconds]), unit: "s" });
    return {
      figures: { [figures.first]: of("first"), [figures.again]: of("again"), [figures.synth]: of("synth") },
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function secondsUntilReady(clone: string, compileCache: string): Promise<{ seconds: number }> {
  const started = performance.now();
  const child = spawn("npm", ["start"], {
    cwd: clone,
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, PORT: "0", IDP_PORT: "0", NODE_COMPILE_CACHE: compileCache },
  });
  const exited = once(child, "exit");
  let output = "";
  for await (const chunk of child.stdout.setEncoding("utf8").iterator({ destroyOnReturn: false })) {
    output += chunk;
    if (output.includes("svc is ready")) break;
  }
  const seconds = (performance.now() - started) / 1_000;
  if (!output.includes("svc is ready")) throw new Error(`npm start exited:\n${output}`);
  // npm and the service have their own process group.
  process.kill(-(child.pid as number), "SIGTERM");
  await exited;
  return { seconds };
}

async function secondsOf(words: readonly string[], { cwd, home }: { cwd: string; home: string }) {
  const { wallMilliseconds } = await measureProcess({ words, cwd, env: { HOME: home } });
  return { seconds: wallMilliseconds / 1_000 };
}
