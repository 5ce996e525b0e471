import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { useService } from "../../support/service/suite.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
// Its commands name a project of their own, which may be created once.
const service = useService({});
let home: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "svc-home-"));
});

afterAll(async () => {
  await rm(home, { recursive: true });
});

/** The shell blocks of a document, in their order, with the service's URL in place of the default one. */
async function shellBlocks(document: string): Promise<string[]> {
  const text = await readFile(join(root, document), "utf8");
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = ""]) => block);
  return blocks.map((block) =>
    block.replaceAll("http://127.0.0.1:8787", service.api).replaceAll("localhost:8787", service.gamesDomain),
  );
}

/** Runs lines of a shell as a reader who copies them, with an empty home directory. */
function run(script: string) {
  const env = {
    PATH: process.env["PATH"],
    HOME: home,
    PORT: new URL(service.api).port,
    IDP_PORT: new URL(service.issuer).port,
  };
  // npx is slow to start and finds the same program.
  const lines = script.replaceAll("npx --no svc", "node_modules/.bin/svc").replace(/^curl .*$/gm, "$&\necho");
  const { status, stdout, stderr } = spawnSync("bash", ["--norc", "-eu", "-c", lines], {
    cwd: root,
    env,
    encoding: "utf8",
  });
  return { status, lines: stdout.split("\n"), stderr };
}

test("the commands of the README go from nothing to a published game", async () => {
  const [start, publish = ""] = await shellBlocks("README.md");
  expect(start).toBe("npm ci && npm start\n");
  // Two to start and these, each on a line.
  expect(publish.trim().split("\n").length + 2).toBeLessThanOrEqual(6);

  const published = run(publish);
  expect(published).toMatchObject({ status: 0, stderr: "" });
  const said = published.lines.join("\n");
  expect(said).toContain("1. The identity provider at port");
  expect(said).toContain(`4. svc login --token - --api ${service.api} saved it.`);
  expect(said).not.toContain("pat_");
  expect(said).toContain(await readFile(join(root, "examples/bounce/index.html"), "utf8"));
});

test("npm run try says what is missing where no service runs", () => {
  const { status, stderr } = run("IDP_PORT=1 npm run --silent try");
  expect(status).toBe(1);
  expect(stderr).toContain("Start one with `npm start`");
});

test("the story of an upload in docs/api/releases.md publishes a file with curl alone, from an empty shell", async () => {
  const [upload = "", ...rest] = await shellBlocks("docs/api/releases.md");
  expect(rest).toEqual([]);
  const published = run(upload);
  expect(published).toMatchObject({ status: 0, stderr: "" });
  const said = published.lines.join("\n");
  expect(said).toContain('"status":"live"');
  expect(said).toContain(await readFile(join(root, "examples/bounce/index.html"), "utf8"));
  expect(said).not.toContain("pat_");
});

test("the commands of docs/api/README.md get a token without a browser, and one that is refused", async () => {
  const [create = "", revoke = ""] = await shellBlocks("docs/api/README.md");
  const created = run(create);
  // The home directory has the login of the README already.
  const notice = /^(?:warning: pat_…\w{4}, which this login replaces, still works\..*\n)?$/;
  expect(created).toMatchObject({ status: 0, stderr: expect.stringMatching(notice) });
  expect(JSON.parse(created.lines[0] ?? "")).toMatchObject({ user: { uid: "ada", role: "dev" } });

  const revoked = run(`ID_TOKEN=${await service.idToken({ sub: "ada" })}\n${revoke}`);
  expect(revoked.status).toBe(4);
  expect(revoked.stderr).toContain("token_revoked");
});
