import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { areaNames, areas } from "./areas.ts";
import type { Effort } from "./harness/effort.ts";
import { cleanEnvironment, commit, load, machine } from "./harness/machine.ts";
import { writeSection } from "./harness/results.ts";

/*
 * `npm run bench`: measures every area, or those that are named, and writes their sections of bench/RESULTS.md and their
 * pictures. `--quick` takes few rounds, to see that all works; its figures are not worth keeping. Each area has a process
 * of its own: what one leaves in memory or in the environment would disturb the next.
 */
async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { quick: { type: "boolean" } } });
  const unknown = positionals.find((name) => !areaNames.includes(name));
  if (unknown !== undefined) throw new Error(`There is no area ${unknown}; there are ${areaNames.join(", ")}`);
  const names = positionals.length > 0 ? positionals : areaNames;
  const [only] = names;
  if (only !== undefined && names.length === 1) return await measure(only, { isQuick: values.quick ?? false });
  for (const name of names) {
    const words = [fileURLToPath(import.meta.url), name, ...(values.quick ? ["--quick"] : [])];
    if (spawnSync(process.execPath, words, { stdio: "inherit" }).status !== 0) process.exitCode = 1;
  }
}

async function measure(name: string, effort: Effort): Promise<void> {
  cleanEnvironment();
  const before = { startedAt: new Date(), commit: commit(), machine: machine(), loadBefore: load() };
  console.log(`\n== ${name} (load average ${before.loadBefore})`);
  const started = performance.now();
  const section = await areas[name]?.(effort);
  if (section === undefined) return;
  const seconds = (performance.now() - started) / 1_000;
  await writeSection(name, areaNames, section, { ...before, seconds });
  console.log(`${section.markdown.trim()}\n(${Math.round(seconds)} s)`);
}

await main();
