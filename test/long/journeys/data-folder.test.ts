import { once } from "node:events";
import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { freePort } from "../../../local/table/dynamodb-engine.ts";
import { runProgram } from "../../support/program.ts";
import { actorsOf } from "../../support/service/actors.ts";
import { startService } from "../../support/service/service.ts";

/** These tests are about the embedded engine, also if the other suites run against another one. */
const embedded = { DYNAMODB_ENDPOINT: undefined };

describe("SVC_DATA", () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "svc-test-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const start = (SVC_DATA: string) =>
    runProgram("programs/local.ts", [], { PORT: "0", IDP_PORT: "0", DYNAMODB_ENDPOINT: "", SVC_DATA });

  test("that is not a folder is reported in one sentence", async () => {
    const file = join(folder, "file");
    await writeFile(file, "");
    expect(await start(file)).toEqual({
      code: 1,
      stdout: "",
      stderr: `SVC_DATA must name a folder that svc can write to. ${file} is not one (EEXIST).\n`,
    });
  });

  test("that another service uses is refused, until that one is killed", async () => {
    const dataFolder = join(folder, "data");
    const first = await startService({ env: embedded, dataFolder });
    expect(await start(dataFolder)).toEqual({
      code: 1,
      stdout: "",
      stderr: `Another service, process ${first.process.pid}, uses ${dataFolder}. Stop it, or choose another folder with SVC_DATA.\n`,
    });
    const exit = once(first.process, "exit");
    first.process.kill("SIGKILL");
    await exit;
    await (await startService({ env: embedded, dataFolder })).stop();
  });

  test("that was there before, and that everybody could read, is this user's alone", async () => {
    const open = join(folder, "open");
    await mkdir(open);
    await chmod(open, 0o755);
    await (await startService({ env: embedded, dataFolder: open })).stop();
    expect((await stat(open)).mode & 0o777).toBe(0o700);
  });

  test("that everybody shares is refused", async () => {
    const shared = join(folder, "shared");
    await mkdir(shared);
    await chmod(shared, 0o1777);
    expect(await start(shared)).toMatchObject({
      code: 1,
      stderr: `SVC_DATA must name a folder of your own, which nobody else can read. ${shared} is shared.\n`,
    });
    expect((await stat(shared)).mode & 0o7777).toBe(0o1777);
  });

  test("with invalid tables is reported with the engine's message", async () => {
    await writeFile(join(folder, "dynamodb.sqlite"), "no database at all".repeat(10));
    const { code, stderr } = await start(folder);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The DynamoDB engine did not start: error: Database file is .+\n$/);
  });
});

test("SVC_DATA keeps accounts, tokens and the provider's key across restarts", async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), "svc-test-"));
  const env = { ...embedded, IDP_PORT: String(await freePort()), TABLE_NAME: "svc-kept" };
  const before = await startService({ env, dataFolder });
  const developer = await actorsOf(before).developer();
  const token = await developer.token();
  await before.stop();

  const after = await startService({ env, dataFolder });
  const actors = actorsOf(after);
  expect((await actors.bearer(developer.credential).get("/me")).body.user.uid).toBe(developer.uid);
  expect((await actors.bearer(token.credential).get("/me")).body.auth.token_id).toBe(token.id);
  expect((await stat(join(dataFolder, "identity-provider-key.json"))).mode & 0o777).toBe(0o600);
  await after.stop();
  await rm(dataFolder, { recursive: true });
});
