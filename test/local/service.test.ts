import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { freePort, startDynamodbEngine } from "../../local/dynamodb-engine.ts";
import { actorsOf } from "../support/actors.ts";
import { newProject, publish } from "../support/publishing.ts";
import { startService, type TestService } from "../support/service.ts";

/** These tests are about the embedded engine, also where the other suites run against another one. */
const embedded = { DYNAMODB_ENDPOINT: undefined };

/** Runs one of the local service's programs to its end. */
async function run(file: string, args: readonly string[], env: Record<string, string>) {
  const program = fileURLToPath(new URL(`../../local/${file}`, import.meta.url));
  const { promise, resolve } = Promise.withResolvers<{ code: unknown; stdout: string; stderr: string }>();
  execFile(process.execPath, [program, ...args], { env: { ...process.env, ...env } }, (error, stdout, stderr) =>
    resolve({ code: error?.code ?? 0, stdout, stderr }),
  );
  return promise;
}

/** Whether nothing listens at an address any more, now or within three seconds. */
async function isGone(endpoint: string): Promise<boolean> {
  for (let attempt = 0; attempt < 60; attempt += 1) {
    const response = await fetch(endpoint, { signal: AbortSignal.timeout(1_000) }).catch(() => undefined);
    if (response === undefined) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}

describe("a running service", () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startService({ env: embedded });
  });
  afterAll(() => service?.stop());

  test("says on a line of its own that it is ready, and then how to go on", () => {
    const [first, ...rest] = service.output().split("\n");
    expect(first).toBe(`svc is ready at ${service.api}`);
    expect(rest.join("\n")).toContain("npm run --silent id-token");
    expect(rest.filter((line) => line !== "").length).toBeLessThanOrEqual(6);
  });

  test.each(["PORT", "IDP_PORT"])(
    "keeps its port: a second service that wants it as %s ends with 1 and says what to do",
    async (variable) => {
      const { port } = new URL(variable === "PORT" ? service.api : service.issuer);
      const result = await run("main.ts", [], { PORT: "0", IDP_PORT: "0", [variable]: port });
      expect(result).toEqual({
        code: 1,
        stdout: "",
        stderr: `Port ${port} is taken. Stop what listens there or choose another port with ${variable}; ${variable}=0 takes a free one.\n`,
      });
    },
  );

  test("a port that is none is refused with one sentence", async () => {
    const result = await run("main.ts", [], { PORT: "eighty" });
    expect(result).toEqual({
      code: 1,
      stdout: "",
      stderr: 'PORT must be a port number from 0 to 65535, not "eighty"\n',
    });
  });

  test("its provider's ID token is printed and nothing else, and signs its person in", async () => {
    const { port } = new URL(service.issuer);
    const person = ["--uid", "grace", "--email", "grace@example.test", "--name", "Grace"];
    const { stdout, code } = await run("id-token.ts", [...person, "--picture", "https://example.test/g.png"], {
      IDP_PORT: port,
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    const { status, body } = await actorsOf(service).bearer(stdout.trim()).post("/auth/session");
    expect(status).toBe(201);
    expect(body.user).toMatchObject({ uid: "grace", email: "grace@example.test", name: "Grace" });
    expect(body.user.avatar).toBe("https://example.test/g.png");
  });

  test("an ID token may be asked for that has expired, or is for somebody else", async () => {
    const { port } = new URL(service.issuer);
    const late = await run("id-token.ts", ["--uid", "late", "--expires-in=-600"], { IDP_PORT: port });
    const foreign = await run("id-token.ts", ["--uid", "foreign", "--audience", "another"], { IDP_PORT: port });
    const answers = [late, foreign].map(({ stdout }) => actorsOf(service).bearer(stdout.trim()).post("/auth/session"));
    expect((await Promise.all(answers)).map(({ body }) => body.code)).toEqual(["id_token_expired", "id_token_invalid"]);
  });
});

test("an engine of one's own that does not answer is named in one sentence", async () => {
  const endpoint = `http://127.0.0.1:${await freePort()}`;
  const result = await run("main.ts", [], { PORT: "0", IDP_PORT: "0", DYNAMODB_ENDPOINT: endpoint });
  expect(result).toEqual({
    code: 1,
    stdout: "",
    stderr: `No DynamoDB engine answers at ${endpoint}. Start it, or unset DYNAMODB_ENDPOINT.\n`,
  });
});

test("beside an engine of one's own, reached with credentials of one's own, the embedded store serves", async () => {
  const engine = await startDynamodbEngine(undefined);
  const own = { AWS_ACCESS_KEY_ID: "AKIAMYOWN", AWS_SECRET_ACCESS_KEY: "my-own-secret" };
  const service = await startService({ env: { DYNAMODB_ENDPOINT: engine.endpoint, ...own } });
  try {
    const developer = await actorsOf(service).developer();
    const slug = await newProject(developer);
    await publish(developer, slug, { "index.html": "<p>mine</p>" });
    expect((await actorsOf(service).anonymous.get(`/projects/${slug}/files/index.html`)).body).toBe("<p>mine</p>");
  } finally {
    await service.stop();
    await engine.stop();
  }
});

test("with a provider of one's own, the service says where an ID token comes from then", async () => {
  const IDP_ISSUER = "https://id.example";
  const service = await startService({ env: { ...embedded, IDP_ISSUER, IDP_JWKS_URI: `${IDP_ISSUER}/jwks` } });
  await service.stop();
  expect(service.output()).toContain("An ID token:   from https://id.example, for the audience svc-local\n");
  expect(service.output()).not.toContain("npm run --silent id-token");
});

test("where no provider runs, the ID token script says so and ends with 1", async () => {
  const port = String(await freePort());
  const { code, stdout, stderr } = await run("id-token.ts", ["--uid", "ada"], { IDP_PORT: port });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toBe(`No local identity provider answers at port ${port}. Start one with \`npm start\`.\n`);
});

test.each<NodeJS.Signals>(["SIGTERM", "SIGINT"])("%s stops everything, with exit code 0", async (signal) => {
  const service = await startService({ env: embedded });
  const exit = once(service.process, "exit");
  // npm tells it twice: the terminal's Ctrl-C reaches both, and npm hands on its own.
  service.process.kill(signal);
  service.process.kill(signal);
  expect(await exit).toEqual([0, null]);
  const parts = [service.api, service.issuer, service.dynamodbEndpoint, service.s3Endpoint];
  expect(await Promise.all(parts.map(isGone))).toEqual([true, true, true, true]);
});

test("kill -9 of the service leaves no engine behind", async () => {
  const service = await startService({ env: embedded });
  const exit = once(service.process, "exit");
  service.process.kill("SIGKILL");
  expect(await exit).toEqual([null, "SIGKILL"]);
  expect(await isGone(service.dynamodbEndpoint)).toBe(true);
});

describe("SVC_DATA", () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "svc-test-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const start = (SVC_DATA: string) => run("main.ts", [], { PORT: "0", IDP_PORT: "0", DYNAMODB_ENDPOINT: "", SVC_DATA });

  test("that is no folder is named in one sentence", async () => {
    const file = join(folder, "file");
    await writeFile(file, "");
    expect(await start(file)).toEqual({
      code: 1,
      stdout: "",
      stderr: `SVC_DATA must name a folder that can be written. ${file} is none (EEXIST).\n`,
    });
  });

  test("that another service keeps its data in is not shared, and is free when that was killed", async () => {
    const dataFolder = join(folder, "data");
    const first = await startService({ env: embedded, dataFolder });
    expect(await start(dataFolder)).toEqual({
      code: 1,
      stdout: "",
      stderr: `Another service, process ${first.process.pid}, keeps its data in ${dataFolder}. Stop it, or choose another folder with SVC_DATA.\n`,
    });
    const exit = once(first.process, "exit");
    first.process.kill("SIGKILL");
    await exit;
    await (await startService({ env: embedded, dataFolder })).stop();
  });

  test("whose tables are none is told as the engine tells it", async () => {
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
  await after.stop();
  await rm(dataFolder, { recursive: true });
});
