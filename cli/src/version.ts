import { packageVersion } from "./package-version.ts";
import { startProgram } from "./program.ts";

/** `svc --version`, in a separate bundle without oclif. */
export function main(argv: readonly string[]): void {
  startProgram(argv, async () => {
    const text = `svc/${packageVersion} ${process.platform}-${process.arch} node-${process.version}`;
    const document = JSON.stringify({ version: packageVersion }, null, 2);
    process.stdout.write(argv.includes("--json") ? `${document}\n` : `${text}\n`);
  });
}
