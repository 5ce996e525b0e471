import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "../local/table/dynamodb-engine.ts";
import { startGuarded, stopGuarded } from "../local/table/guarded-process.ts";

/*
 * `node lab/dynamodb-local.ts -- [jest's arguments]`: the suites that have a table, against Amazon's own engine,
 * DynamoDB Local. Its jar comes from the npm package that ships it, fetched when it is first needed: 56 MB are too
 * much for a dependency.
 */
const source = {
  package: "amplify-dynamodb-simulator@2.9.30",
  integrity: "sha512-xTeeRLvzEfqyd5lh3bH4c0kHvSHHmmhD5ZDsHFKAQ5g2Zl6JqlFdutaQhCLHzxEp6Ry1o7TB6niIoXuQAnSewQ==",
};
/**
 * Every suite of `npm test` that starts a service, but for those whose subject is the command line or a server of
 * this machine; the job that counts plays writes maps, so it is among them. Of the longer suites, those about conditions of writes, about what each function does
 * to the table, and about visits.
 */
const notForATable = [
  "/node_modules/",
  "<rootDir>/local/",
  "test/local/",
  "options/statistics/test/(access-log|stats)\\.",
  "test/cli/",
  "test/browser/",
  "test/long/(?!.*(races.revocation|contention|visits|previews|access)\\.)",
];
const suitesWithATable = [
  "--findRelatedTests",
  "test/support/service/service.ts",
  // As the longer suites have it.
  "--testTimeout=120000",
  "--testPathIgnorePatterns",
  ...notForATable,
];
const root = fileURLToPath(new URL("..", import.meta.url));
const cache = join(root, "node_modules/.cache/dynamodb-local");
const startTimeoutMilliseconds = 60_000;

async function main(): Promise<number> {
  if (spawnSync("java", ["-version"]).error)
    throw new Error("There is no `java` on this machine. DynamoDB Local needs Java 17 or newer.");
  fetchEngine();
  const port = await freePort();
  const jar = ["-Djava.library.path=DynamoDBLocal_lib", "-jar", "DynamoDBLocal.jar"];
  const options = ["-inMemory", "-sharedDb", "-disableTelemetry", "-port", String(port)];
  const engine = startGuarded("java", [...jar, ...options], { cwd: cache });
  try {
    const endpoint = `http://127.0.0.1:${port}`;
    await waitUntilItResponds(endpoint, engine);
    console.log(`DynamoDB Local listens at ${endpoint}`);
    const suites = process.argv.length > 2 ? process.argv.slice(2) : suitesWithATable;
    // The functions as they are deployed, each with a memory of its own, which `npm test` does not have.
    const tests = spawn("npm", ["test", "--", "--globals={}", ...suites], {
      cwd: root,
      stdio: "inherit",
      shell: process.platform === "win32",
      env: { ...process.env, DYNAMODB_ENDPOINT: endpoint },
    });
    const [code] = await once(tests, "exit");
    return code ?? 1;
  } finally {
    await stopGuarded(engine);
  }
}

/** @throws Error if the package is not the one that was looked at */
function fetchEngine(): void {
  if (existsSync(join(cache, "DynamoDBLocal.jar"))) return;
  const folder = `${cache}.${process.pid}`;
  mkdirSync(folder, { recursive: true });
  console.log(`Fetching DynamoDB Local (${source.package})`);
  const packed = execFileSync("npm", ["pack", source.package, "--json", "--pack-destination", folder], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    shell: process.platform === "win32",
  });
  const [{ filename, integrity }] = JSON.parse(packed);
  if (integrity !== source.integrity) throw new Error(`${source.package} has another content: ${integrity}`);
  execFileSync("tar", ["-xzf", filename, "--strip-components=2", "package/emulator"], { cwd: folder });
  rmSync(join(folder, filename));
  rmSync(cache, { recursive: true, force: true });
  renameSync(folder, cache);
}

async function waitUntilItResponds(endpoint: string, engine: ChildProcess): Promise<void> {
  const deadline = Date.now() + startTimeoutMilliseconds;
  let output = "";
  for (const stream of [engine.stdout, engine.stderr]) {
    stream?.on("data", (chunk) => {
      output += chunk;
    });
  }
  while (engine.exitCode === null && Date.now() < deadline) {
    // Any response will do, and a request without a signature gets 400.
    if (await fetch(endpoint).catch(() => undefined)) return;
    await delay(100);
  }
  throw new Error(`DynamoDB Local did not start:\n${output}`);
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: Error) => {
    console.error(error.message);
    process.exitCode = 1;
  },
);
