import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { startStage, type TestStage } from "./support/stage.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
let stage: TestStage;
let home: string;

beforeAll(async () => {
  stage = await startStage();
  home = await mkdtemp(join(tmpdir(), "svc-home-"));
});

afterAll(async () => {
  await stage.stop();
  await rm(home, { recursive: true });
});

/** The shell blocks of the README, in their order, with the stage's address in place of the default one. */
async function shellBlocks(): Promise<string[]> {
  const text = await readFile(join(root, "README.md"), "utf8");
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = ""]) => block);
  return blocks.map((block) => block.replaceAll("http://127.0.0.1:8787", stage.api));
}

/** Runs lines of a shell as somebody with an empty home who copies them. */
async function run(script: string): Promise<string> {
  const env = { PATH: process.env["PATH"], HOME: home, IDP_PORT: new URL(stage.issuer).port };
  const { stdout } = await promisify(execFile)("bash", ["-eu", "-c", script], { cwd: root, env });
  return stdout;
}

test("the first block installs and starts", async () => {
  expect((await shellBlocks())[0]).toBe("npm ci\nnpm start\n");
});

test("the second block signs in, creates a token, uses it, revokes it and is refused", async () => {
  const [, block = ""] = await shellBlocks();
  const answers = await run(block.replace(/^curl .*$/gm, "$&; echo"));
  const [session, me, revoked, refused] = answers.split("\n");
  expect(JSON.parse(session ?? "")).toMatchObject({ user: { uid: "ada", role: "dev" } });
  expect(JSON.parse(me ?? "")).toMatchObject({ user: { uid: "ada" }, auth: { kind: "token", name: "laptop" } });
  expect(revoked).toBe("");
  expect(JSON.parse(refused ?? "")).toMatchObject({ status: 401, code: "token_revoked" });
});
