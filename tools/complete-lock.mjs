// Enters into package-lock.json the optional platform packages (native binaries of the other operating systems)
// that the registry in use does not serve, so that `npm ci` accepts the lock file here and installs the right
// binary elsewhere. Such an entry has version, os and cpu, and no integrity, because its bytes were never seen.
// Run it after every `npm install` that changes the lock file: `node tools/complete-lock.mjs`.
import { readFileSync, writeFileSync } from "node:fs";

const systems = ["android", "darwin", "freebsd", "linux", "openharmony", "win32"];
const processors = ["arm64", "x64", "arm", "ia32", "ppc64", "riscv64", "s390x", "loong64"];

const lock = JSON.parse(readFileSync("package-lock.json", "utf8"));
const { packages } = lock;
const manifest = JSON.parse(readFileSync("package.json", "utf8"));
packages[""].optionalDependencies = manifest.optionalDependencies;

let entered = 0;
for (const [path, { optionalDependencies = {} }] of Object.entries(packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    const isServed = `node_modules/${name}` in packages || `${path}/node_modules/${name}` in packages;
    const words = name.split("/").at(-1).split("-");
    const os = systems.find((system) => words.includes(system));
    if (isServed || os === undefined || !/^\d/.test(version)) continue;
    const cpu = processors.find((processor) =>
      words.some((word) => word === processor || (processor === "arm" && /^armv?\d*$/.test(word))),
    );
    packages[`node_modules/${name}`] = { version, ...(cpu && { cpu: [cpu] }), optional: true, os: [os], dev: true };
    entered += 1;
  }
}
lock.packages = Object.fromEntries(Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync("package-lock.json", `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${entered} platform packages entered`);
