import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/**
 * Builds the functions, the dashboard and the command line once before all tests, so that the test files do not do it side by side. In
 * processes of their own, because jest's module hooks do not let a TypeScript file import another here.
 */
export default function build(): void {
  run("../../infra/bundle.ts", "--changed");
  run("../../dashboard/build.ts", "--changed");
  run("../../cli/build.ts");
}

function run(script: string, ...args: string[]): void {
  execFileSync(process.execPath, [fileURLToPath(new URL(script, import.meta.url)), ...args], {
    stdio: ["ignore", "ignore", "inherit"],
  });
}
