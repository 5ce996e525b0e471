import { spawnSync } from "node:child_process";
import { shippedPackages } from "./shipped.ts";

/*
 * `node infra/shipped/audit.ts`: known vulnerabilities of the packages with code in a bundle, from `npm audit`. If the configured registry
 * has no advisories, it says that nothing was checked.
 */
interface Report {
  readonly error?: { readonly summary?: string };
  readonly vulnerabilities?: Readonly<Record<string, { severity: string; range: string }>>;
}

const { stdout } = spawnSync("npm", ["audit", "--json"], { encoding: "utf8", shell: process.platform === "win32" });
const report = parse(stdout);
if (report?.vulnerabilities === undefined) {
  console.log("The configured registry does not support audits: known vulnerabilities were NOT checked.");
} else {
  const shipped = new Set([...shippedPackages("functions"), ...shippedPackages("cli")].map(({ name }) => name));
  const vulnerabilities = Object.entries(report.vulnerabilities).filter(([name]) => shipped.has(name));
  for (const [name, { severity, range }] of vulnerabilities) console.log(`${severity}: ${name} ${range}`);
  console.log(`${vulnerabilities.length} known vulnerabilities in ${shipped.size} shipped packages`);
  process.exitCode = vulnerabilities.length > 0 ? 1 : 0;
}

function parse(text: string): Report | undefined {
  try {
    return JSON.parse(text) as Report;
  } catch {
    return undefined;
  }
}
