import { parseArgs } from "node:util";
import { areaNames, areas } from "./areas.ts";
import { cleanEnvironment, commit, load, machine } from "./harness/machine.ts";
import { writeSection } from "./harness/results.ts";

/*
 * `npm run bench`: measures every area, or those that are named, and writes their sections of bench/RESULTS.md and their
 * pictures. `--quick` takes few rounds, to see that all works; its figures are not worth keeping.
 */
async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { quick: { type: "boolean" } } });
  const unknown = positionals.find((name) => !areaNames.includes(name));
  if (unknown !== undefined) throw new Error(`There is no area ${unknown}; there are ${areaNames.join(", ")}`);
  cleanEnvironment();
  const effort = { isQuick: values.quick ?? false };
  for (const name of positionals.length > 0 ? positionals : areaNames) {
    const before = { startedAt: new Date(), commit: commit(), machine: machine(), loadBefore: load() };
    console.log(`\n== ${name} (load average ${before.loadBefore})`);
    const started = performance.now();
    const section = await areas[name]?.(effort);
    if (section === undefined) continue;
    const seconds = (performance.now() - started) / 1_000;
    await writeSection(name, areaNames, section, { ...before, seconds });
    console.log(`${section.markdown.trim()}\n(${Math.round(seconds)} s)`);
  }
}

await main();
