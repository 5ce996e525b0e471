import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { root } from "../../support/documents.ts";
import { actorsOf, type Developer, type TokenActor } from "../../support/service/actors.ts";
import { startService, type TestService } from "../../support/service/service.ts";

/*
 * `npm start` while its sources change: in a copy of the repository with the functions of a few routes, so that bundling them takes a moment.
 */

const copy = mkdtempSync(join(tmpdir(), "svc-reload-"));
const handlers = ["create-session.ts", "create-token.ts", "get-health.ts", "get-me.ts", "list-tokens.ts"];
const isCopied = (path: string) =>
  !/\/(?:node_modules|test)$|\.test\.ts$/.test(path) &&
  (!/\/(?:handlers|jobs|origin)\/[a-z-]+\.ts$/.test(path) || handlers.includes(basename(path)));

let service: TestService;
let ada: Developer;
let token: TokenActor;

beforeAll(async () => {
  const folders = [
    "cli",
    "contract",
    "dashboard",
    "docs",
    "edge",
    "functions",
    "infra",
    "local",
    "options",
    "programs",
    "publisher",
  ];
  for (const path of [...folders, "build/dashboard", "package.json", "package-lock.json", "tsconfig.json"])
    if (existsSync(join(root, path)))
      cpSync(join(root, path), join(copy, path), { recursive: true, preserveTimestamps: true, filter: isCopied });
  // This process gets ID tokens by the start secret of its own checkout.
  for (const path of ["node_modules", "build/start-secrets"]) {
    mkdirSync(join(root, path), { recursive: true });
    symlinkSync(join(root, path), join(copy, path));
  }
  const env = { SPLIT_FUNCTIONS: undefined };
  service = await startService({ main: join(copy, "programs/local.ts"), env });
  ada = await actorsOf(service).developer();
  token = await ada.token();
}, 300_000);
afterAll(async () => {
  await service?.stop();
  rmSync(copy, { recursive: true, force: true });
});

/** Changes a source as an editor saves it. */
function change(path: string, from: string, to: string): void {
  const file = join(copy, path);
  const source = readFileSync(file, "utf8");
  if (!source.includes(from)) throw new Error(`${path} has no ${from}`);
  writeFileSync(file, source.replace(from, to));
}

// Not as an actor, which compares responses with the contract.
const health = async () => ((await (await fetch(`${service.api}/health`)).json()) as { status: string }).status;
const reloads = () => service.output().match(/[a-z-]+(?= was loaded again\.)/g) ?? [];

test("the next request of a changed function runs its new code, and the service keeps its data", async () => {
  expect([await health(), (await token.get("/me")).status]).toEqual(["ok", 200]);
  expect(reloads()).toEqual([]);
  change("functions/handlers/get-health.ts", '"ok"', '"changed"');
  expect(await health()).toBe("changed");
  expect((await token.get("/me")).body.user.uid).toBe(ada.uid);
  // A function whose sources are as they were goes on.
  expect(reloads()).toEqual(["get-health"]);
  change("functions/handlers/get-health.ts", '"changed"', '"again"');
  expect([await health(), await health()]).toEqual(["again", "again"]);
  expect(reloads()).toEqual(["get-health", "get-health"]);
}, 60_000);

test("a change of what functions share reaches each of them, also one that was never called before", async () => {
  const before = reloads().length;
  change("functions/http/middleware/headers.ts", "[headers.version]: apiVersion", '[headers.version]: "changed"');
  const [read, made] = await Promise.all([
    token.get("/me"),
    ada.post("/tokens", { name: "next", scopes: ["publish"] }),
  ]);
  expect([read.status, made.status]).toEqual([200, 201]);
  const first = await ada.get("/tokens");
  for (const { headers } of [read, made, first]) expect(headers.get("svc-version")).toBe("changed");
  expect(reloads().slice(before).sort()).toEqual(["create-token", "get-me"]);
}, 60_000);

test("while a source cannot be bundled, the former code runs, and the terminal says why", async () => {
  change("functions/handlers/get-health.ts", "export", "export export");
  expect(await health()).toBe("again");
  const said = () => service.output().match(/get-health could not be loaded again.*/g) ?? [];
  expect(said()).toEqual([expect.stringContaining("former code runs")]);
  expect(service.output()).toContain("functions/handlers/get-health.ts");
  expect(await health()).toBe("again");
  expect(said()).toHaveLength(1);
  change("functions/handlers/get-health.ts", "export export", "export");
  change("functions/handlers/get-health.ts", '"again"', '"mended"');
  expect(await health()).toBe("mended");
}, 60_000);
