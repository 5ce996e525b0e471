import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { freePort, startDynamodbEngine } from "../../local/dynamodb-engine.ts";
import { settings } from "../../local/settings.ts";
import { actorsOf } from "../support/actors.ts";
import { createCertificate } from "../support/certificate.ts";
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
    expect(rest.filter((line) => line !== "").length).toBeLessThanOrEqual(7);
    expect(rest.join("\n")).not.toContain("WARNING");
  });

  test("says where uploaded files are, and that is where they are", async () => {
    const folder = /uploaded files are in (\S+) until the end/.exec(service.output())?.[1] ?? "";
    const developer = await actorsOf(service).developer();
    await publish(developer, await newProject(developer), { "index.html": "<p>here</p>" });
    expect(await readdir(folder, { recursive: true })).toContainEqual(expect.stringMatching(/^svc-local\//));
  });

  test("its banner's commands make a developer, in a shell", async () => {
    const [, idToken = "", become = "", whoAmI = ""] =
      /An ID token: +(.+)\n.*developer: +(.+)\n.*am I: +(.+)\n/.exec(service.output()) ?? [];
    const script = [idToken, `${become} -fsS`, `${whoAmI} -fsS`].join(" && ");
    const { stdout } = await promisify(execFile)("bash", ["-c", script]);
    expect(JSON.parse(stdout.slice(stdout.lastIndexOf('{"user"'))).user.role).toBe("dev");
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
  expect(service.output()).toContain("An ID token:         from https://id.example, for the audience svc-local\n");
  expect(service.output()).not.toContain("npm run --silent id-token");
});

describe("npm start -- --help", () => {
  test.each(["--help", "-h"])("%s prints every setting, starts nothing and ends with 0", async (option) => {
    const { code, stdout, stderr } = await run("main.ts", [option], { PORT: "taken" });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const name of Object.keys(settings)) expect(stdout).toContain(`  ${name} `);
  });

  test("another word is refused with one sentence", async () => {
    const { code, stderr } = await run("main.ts", ["--port=1"], {});
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'npm start takes no "--port=1". It is configured by environment variables: npm start -- --help\n',
    });
  });

  test("docs/local.md names the same settings", async () => {
    const document = await readFile(new URL("../../docs/local.md", import.meta.url), "utf8");
    const [table = ""] = /\| variable.*?\n\n/s.exec(document) ?? [];
    const names = table.split("\n").flatMap((row) => row.split("|")[1]?.match(/[A-Z][A-Z0-9_]+/g) ?? []);
    expect(names.sort()).toEqual(Object.keys(settings).sort());
  });
});

describe("with another identity provider", () => {
  /** A provider whose discovery document is this. */
  async function discovery(document: (issuer: string) => unknown, server = createServer()) {
    let issuer = "";
    server.on("request", (_, response) => response.end(JSON.stringify(document(issuer))));
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    issuer = `${server instanceof https.Server ? "https" : "http"}://127.0.0.1:${port}`;
    const result = await run("main.ts", [], { PORT: "0", IDP_ISSUER: issuer });
    server.close().closeAllConnections();
    return { ...result, issuer };
  }

  test("the issuer of its discovery document must be the configured one", async () => {
    const { code, stderr, issuer } = await discovery((url) => ({ issuer: `${url}/`, jwks_uri: url }));
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `${issuer}/.well-known/openid-configuration says that the issuer is "${issuer}/". Set IDP_ISSUER to exactly that, if it is yours.\n`,
    });
  });

  test("a document without keys is told apart", async () => {
    const { code, stderr, issuer } = await discovery((url) => ({ issuer: url }));
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `${issuer}/.well-known/openid-configuration does not say where the keys of IDP_ISSUER are. Set IDP_JWKS_URI.\n`,
    });
  });

  test("a certificate that is not trusted is called that", async () => {
    const server = https.createServer({ ...createCertificate("localhost") });
    const { code, stderr } = await discovery((url) => ({ issuer: url }), server);
    expect(code).toBe(1);
    expect(stderr).toContain("its certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT). Set NODE_EXTRA_CA_CERTS");
  });

  test("that does not answer, the reason is given", async () => {
    const issuer = `http://127.0.0.1:${await freePort()}`;
    const { stderr } = await run("main.ts", [], { PORT: "0", IDP_ISSUER: issuer });
    expect(stderr).toBe(
      `${issuer}/.well-known/openid-configuration could not be read: ECONNREFUSED. Or set IDP_JWKS_URI.\n`,
    );
  });
});

test("IDP_AUTH_EMULATOR_HOST and a project are enough for the Firebase emulator, and the banner warns", async () => {
  const env = { ...embedded, IDP_AUTH_EMULATOR_HOST: "127.0.0.1:9099", IDP_AUDIENCE: "demo-project" };
  const emulated = await startService({ env });
  const now = Math.floor(Date.now() / 1_000);
  // What the emulator issues to whoever signs up with an email address: firebase.google.com/docs/emulator-suite/connect_auth
  const claims = {
    email: "ada@example.test",
    email_verified: false,
    auth_time: now,
    user_id: "kEmXgNVkBmOo3JwUu3HmZCQbG6Xz",
    firebase: { identities: { email: ["ada@example.test"] }, sign_in_provider: "password" },
    iat: now,
    exp: now + 3_600,
    aud: "demo-project",
    iss: "https://securetoken.google.com/demo-project",
    sub: "kEmXgNVkBmOo3JwUu3HmZCQbG6Xz",
  };
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const idToken = `${encode({ alg: "none", typ: "JWT" })}.${encode(claims)}.`;
  const signedIn = await actorsOf(emulated)
    .bearer(idToken)
    .post("/auth/session", { role: "dev" })
    .finally(() => emulated.stop());
  expect(signedIn).toMatchObject({ status: 201, body: { user: { uid: claims.sub, email: "ada@example.test" } } });
  expect(emulated.output()).toContain("WARNING: IDP_AUTH_EMULATOR_HOST is set. UNSIGNED ID tokens are accepted");
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

test("a store of one's own that does not check what it must is refused at the start", async () => {
  const server = createServer((_, response) => response.end()).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await expect(startService({ env: { S3_ENDPOINT: `http://127.0.0.1:${port}` } })).rejects.toThrow(
    "does not check x-amz-checksum-sha256",
  );
  server.close();
});
