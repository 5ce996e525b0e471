/*
 * node local/machine/complete-lock.mjs, after every `npm install` that changes the lock file: adds to package-lock.json the optional packages with
 * native programs for other systems that the configured registry does not have, so that `npm ci` accepts the lock file here and
 * installs the right program on other machines. Then it adds the SHA-512 that the registry has of each package which was never
 * downloaded here, because npm checks nothing without it. local/machine/lock.test.ts lists the packages that have none.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { runNpm } from "./npm.ts";

const systems = ["android", "darwin", "freebsd", "linux", "openharmony", "win32"];
const processors = ["arm64", "x64", "arm", "ia32", "ppc64", "riscv64", "s390x", "loong64"];

const lock = JSON.parse(readFileSync("package-lock.json", "utf8"));
const { packages } = lock;
const manifest = JSON.parse(readFileSync("package.json", "utf8"));
packages[""].optionalDependencies = manifest.optionalDependencies;

let entered = 0;
for (const [path, { optionalDependencies = {}, dev }] of Object.entries(packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    const isServed = `node_modules/${name}` in packages || `${path}/node_modules/${name}` in packages;
    const words = name.split("/").at(-1).split("-");
    const os = systems.find((system) => words.includes(system));
    if (isServed || os === undefined || !/^\d/.test(version)) continue;
    const cpu = processors.find((processor) =>
      words.some((word) => word === processor || (processor === "arm" && /^armv?\d*$/.test(word))),
    );
    packages[`node_modules/${name}`] = {
      version,
      ...(cpu && { cpu: [cpu] }),
      optional: true,
      os: [os],
      ...(dev && { dev }),
    };
    entered += 1;
  }
}
await enterIntegrities();
lock.packages = Object.fromEntries(Object.entries(packages).sort(([a], [b]) => a.localeCompare(b, "en")));
writeFileSync("package-lock.json", `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${entered} platform packages added`);

async function enterIntegrities() {
  const registry = runNpm(["config", "get", "registry"]).trim().replace(/\/*$/, "/");
  for (const [path, entry] of Object.entries(packages)) {
    if (entry.integrity || entry.link || entry.inBundle || !path.includes("node_modules/")) continue;
    const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
    const response = await fetch(`${registry}${name.replace("/", "%2f")}/${entry.version}`);
    const integrity = response.ok ? (await response.json()).dist?.integrity : undefined;
    if (integrity) entry.integrity = integrity;
    else console.log(`The registry does not know the integrity of ${name}@${entry.version}`);
  }
}
