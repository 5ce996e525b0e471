import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/**
 * Bundles the functions once before all tests, so that the stages of several test files do not do it side by side. In a
 * process of its own, because jest's module hooks do not let a TypeScript file import another here.
 */
export default function bundleFunctions(): void {
  const bundler = fileURLToPath(new URL("../../infra/bundle.ts", import.meta.url));
  execFileSync(process.execPath, [bundler, "--changed"], { stdio: "inherit" });
}
