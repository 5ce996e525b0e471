import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Runs the code of a viewer function, and calls of it, in njs, of whose family CloudFront's runtime is.
 *
 * @param values what the key-value store has
 * @returns what it prints, and the seconds of the processor that it takes: other programs run meanwhile
 */
export function runInNjs(
  code: string,
  calls: string,
  values: ReadonlyMap<string, string>,
): { stdout: string; seconds: number } {
  const folder = mkdtempSync(join(tmpdir(), "svc-njs-"));
  try {
    const store = `{ get: (key) => values[key] === undefined ? Promise.reject(new Error()) : Promise.resolve(values[key]), exists: (key) => Promise.resolve(values[key] !== undefined) }`;
    writeFileSync(
      join(folder, "cloudfront"),
      `const values = ${JSON.stringify(Object.fromEntries(values))}; export default { kvs: () => (${store}), logCustomData: () => undefined };`,
    );
    writeFileSync(join(folder, "function.js"), `${code}\n${calls}`);
    const program = `TIMEFORMAT=%U; time njs -p ${folder} ${join(folder, "function.js")}`;
    const { stdout, stderr } = spawnSync("bash", ["-c", program], { encoding: "utf8" });
    if (stdout === "" || stdout.startsWith("Thrown")) throw new Error(stdout + stderr);
    return { stdout, seconds: Number(stderr) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
