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
  const asked = readWords();
  if (asked === undefined) {
    console.error(`Usage: npm run bench -- [--quick] [AREA ...]\nAreas: ${areaNames.join(", ")}`);
    process.exitCode = 2;
    return;
  }
  const { names, isQuick } = asked;
  const [only] = names;
  if (only !== undefined && names.length === 1) return await measure(only, { isQuick });
  for (const name of names) {
    const words = [fileURLToPath(import.meta.url), name, ...(isQuick ? ["--quick"] : [])];
    if (spawnSync(process.execPath, words, { stdio: "inherit" }).status !== 0) process.exitCode = 1;
  }
}

/** Which areas are asked for; undefined where the words ask for none that there is. */
function readWords(): { names: readonly string[]; isQuick: boolean } | undefined {
  const { values, positionals } = parseArgs({
    strict: false,
    allowPositionals: true,
    options: { quick: { type: "boolean" } },
  });
  const { quick = false, ...unknown } = values;
  const isKnown = Object.keys(unknown).length === 0 && positionals.every((name) => areaNames.includes(name));
  if (!isKnown) return undefined;
  return { names: positionals.length > 0 ? positionals : areaNames, isQuick: quick === true };
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
