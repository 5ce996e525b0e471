import { execFileSync } from "node:child_process";
import { join } from "node:path";

/** Installs the packages of lab/ and builds what the tests run, in processes of their own (test/support/global-setup.ts). */
export default async function prepare(): Promise<void> {
  execFileSync(process.execPath, [join(import.meta.dirname, "install.ts")], { stdio: ["ignore", "ignore", "inherit"] });
  const { default: build } = await import("../test/support/global-setup.ts");
  build();
}
