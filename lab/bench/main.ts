import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Area, Effort } from "./area.ts";
import { cleanEnvironment, commit, load, machine } from "./harness/machine.ts";
import { recordResult, unmeasured } from "./harness/results.ts";

/*
 * `npm run bench`: measures every area, or those that are named, and writes lab/bench/results.json and lab/bench/RESULTS.md.
 * `--quick` takes few rounds, only to see that everything works, and writes nothing. Each area runs in its own process, so that
 * it starts with clean memory and environment.
 */
const areaNames = readdirSync(new URL("areas", import.meta.url)).map((file) => file.slice(0, -".ts".length));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: "boolean", default: false } },
});
/** Longer than any area takes: none waits for ever, whatever does not respond. */
const areaMinutes = values.quick ? 10 : 120;
const unknown = positionals.filter((name) => !areaNames.includes(name));
const [only] = positionals;
if (unknown.length > 0) {
  console.error(`There is no area ${unknown.join(", ")}. Areas: ${areaNames.join(", ")}`);
  process.exitCode = 2;
} else if (only !== undefined && positionals.length === 1) await measure(only, { isQuick: values.quick });
else for (const name of positionals.length > 0 ? positionals : areaNames) measureInOwnProcess(name);

function measureInOwnProcess(name: string): void {
  const words = [fileURLToPath(import.meta.url), name, ...(values.quick ? ["--quick"] : [])];
  if (spawnSync(process.execPath, words, { stdio: "inherit" }).status !== 0) process.exitCode = 1;
}

async function measure(name: string, effort: Effort): Promise<void> {
  const watch = setTimeout(() => {
    console.error(`The area ${name} was not measured within ${areaMinutes} minutes`);
    process.exit(1);
  }, areaMinutes * 60_000);
  const { area } = (await import(`./areas/${name}.ts`)) as { area: Area };
  cleanEnvironment();
  const provenance = { date: new Date().toISOString(), commit: commit(), machine: machine(), loadBefore: load() };
  console.log(`\n== ${name} (load average ${provenance.loadBefore})`);
  const measured = await area.measure(effort);
  const missing = unmeasured(area, measured);
  if (missing.length > 0) throw new Error(`The area ${name} has no figure for ${missing.join("; ")}`);
  console.log(await recordResult(area, { ...measured, ...provenance }, { write: !effort.isQuick }));
  clearTimeout(watch);
}
