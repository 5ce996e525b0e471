import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { settingsWith } from "../../../local/settings.ts";
import { freePort } from "../../../local/table/dynamodb-engine.ts";
import { localOptions } from "../../../programs/local-options.ts";
import { eventually } from "../../support/eventually.ts";
import { runProgram } from "../../support/program.ts";
import { actorsOf } from "../../support/service/actors.ts";
import { playFile, sendTo } from "../../support/service/play.ts";
import { startService } from "../../support/service/service.ts";
import { serviceEnvironment } from "../../support/service/service-process.ts";
import { newProject, publish } from "../../support/service/steps.ts";
import { useService } from "../../support/service/suite.ts";

/** These tests are about the embedded engine, also if the other suites run against another one. */
const embedded = { DYNAMODB_ENDPOINT: undefined };

/** Whether nothing listens at an endpoint any more, now or within three seconds. */
async function isGone(endpoint: string): Promise<boolean> {
  for (let attempt = 0; attempt < 60; attempt += 1) {
    const response = await fetch(endpoint, { signal: AbortSignal.timeout(1_000) }).catch(() => undefined);
    if (response === undefined) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}

describe("a running service", () => {
  const service = useService({ env: embedded });
  beforeAll(() => eventually(() => expect(service.output()).toContain("Ctrl-C stops.\n")));

  test("begins with a game's large files, all at once, and sends each with its own bytes", async () => {
    const developer = await actorsOf(service).developer();
    const slug = await newProject(developer);
    const large = Array.from({ length: 8 }, (_, index) => [`${index}.pck`, Buffer.alloc(300_000 + index, `${index}`)]);
    const files: Record<string, Buffer> = Object.fromEntries(large);
    await publish(developer, slug, { "index.html": "<p>play", ...files });
    for (let visit = 0; visit < 2; visit += 1) {
      const loaded = await Promise.all(Object.keys(files).map((path) => playFile(service, slug, { path: `/${path}` })));
      expect(loaded.map(({ body }, index) => body.equals(files[`${index}.pck`] ?? body.subarray(1)))).toEqual(
        large.map(() => true),
      );
    }
  });

  test("says on the first line that it is ready, and then the next steps", () => {
    const [first, ...rest] = service.output().split("\n");
    expect(first).toBe(`svc is ready. Open ${service.dashboard} in a browser other than Safari.`);
    expect(rest.join("\n")).toContain("npm run --silent id-token");
    expect(rest.filter((line) => line !== "").length).toBeLessThanOrEqual(7);
    expect(rest.join("\n")).not.toContain("WARNING");
  });

  test("names the folder of uploaded files", async () => {
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

  test.each(["PORT", "IDP_PORT", "S3_PORT"] as const)(
    "keeps its port: a second service that wants it as %s exits with 1 and says what to do",
    async (variable) => {
      const urls = { PORT: service.api, IDP_PORT: service.issuer, S3_PORT: service.s3Endpoint };
      const { port } = new URL(urls[variable]);
      const result = await runProgram("programs/local.ts", [], { PORT: "0", IDP_PORT: "0", [variable]: port });
      expect(result).toEqual({
        code: 1,
        stdout: "",
        stderr: `Port ${port} is in use. Stop the program that listens there, or choose another port with ${variable}; ${variable}=0 takes a free one.\n`,
      });
    },
  );

  test("an invalid port is refused with one sentence", async () => {
    const result = await runProgram("programs/local.ts", [], { PORT: "eighty" });
    expect(result).toEqual({
      code: 1,
      stdout: "",
      stderr: 'PORT must be a port number from 0 to 65535, not "eighty"\n',
    });
  });

  test("npm run id-token prints only an ID token, which signs its person in", async () => {
    const { port } = new URL(service.issuer);
    const person = ["--uid", "grace", "--email", "grace@example.test", "--name", "Grace"];
    const { stdout, code } = await runProgram(
      "local/id-token.ts",
      [...person, "--picture", "https://example.test/g.png"],
      {
        IDP_PORT: port,
      },
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    const { status, body } = await actorsOf(service).bearer(stdout.trim()).post("/auth/session");
    expect(status).toBe(201);
    expect(body.user).toMatchObject({ uid: "grace", email: "grace@example.test", name: "Grace" });
    expect(body.user.avatar).toBe("https://example.test/g.png");
  });

  test("npm run id-token can make an expired ID token, or one for another audience", async () => {
    const { port } = new URL(service.issuer);
    const late = await runProgram("local/id-token.ts", ["--uid", "late", "--expires-in=-600"], { IDP_PORT: port });
    const foreign = await runProgram("local/id-token.ts", ["--uid", "foreign", "--audience", "another"], {
      IDP_PORT: port,
    });
    const responses = [late, foreign].map(({ stdout }) =>
      actorsOf(service).bearer(stdout.trim()).post("/auth/session"),
    );
    expect((await Promise.all(responses)).map(({ body }) => body.code)).toEqual([
      "id_token_expired",
      "id_token_invalid",
    ]);
  });
});

describe("npm run demo", () => {
  test("publishes a game of Ada's, and prints a link that signs in as her, for nobody else", async () => {
    const program = fileURLToPath(new URL("../../../programs/demo.ts", import.meta.url));
    const env = { ...process.env, ...serviceEnvironment({ env: embedded }), PORT: "0", IDP_PORT: "0" };
    const child = spawn(process.execPath, [program], { env, stdio: ["ignore", "pipe", "pipe"] });
    try {
      const [firstWords] = await once(child.stderr.setEncoding("utf8"), "data");
      expect(firstWords).toBe("Starting svc with an example game. In a new clone this takes a minute…\n");
      child.stderr.resume();
      let output = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
      await eventually(() => expect(output).toContain("Ctrl-C stops."));
      const link = /^svc is ready, with a game of Ada's\..*:\n\n(\S+)\n\n/.exec(output)?.[1] ?? "";
      const api = /The API: +(\S+)/.exec(output)?.[1] ?? "";
      const { port } = new URL(api);
      const game = await sendTo(api, `bounce.localhost:${port}`, {});
      expect({ status: game.status, body: game.body.toString() }).toMatchObject({
        status: 200,
        body: expect.stringContaining("<title>Bounce</title>"),
      });
      const project = await (await fetch(new URL("/projects/bounce", api))).json();
      expect(project).toHaveProperty("picture_url", `http://bounce.localhost:${port}/cover.png`);
      const followed = await fetch(link, { redirect: "manual" });
      expect([followed.status, followed.headers.get("location")]).toEqual([
        303,
        `http://dashboard.localhost:${port}/projects/bounce?sign-in=`,
      ]);
      expect(followed.headers.get("set-cookie")).toMatch(/^svc-sign-in-\d+=.+; HttpOnly; SameSite=Lax/);
      const wrong = new URL(link);
      wrong.searchParams.set("key", "guessed");
      expect([(await fetch(wrong)).status, (await fetch(wrong)).headers.get("set-cookie")]).toEqual([403, null]);
      const elsewhere = new URL(link);
      elsewhere.searchParams.set("page", "http://evil.example/");
      expect((await fetch(elsewhere, { redirect: "manual" })).status).toBe(400);
    } finally {
      child.kill();
      await once(child, "exit");
    }
  });

  test("is refused with another provider, which has no link", async () => {
    const result = await runProgram("programs/demo.ts", [], { PORT: "0", IDP_ISSUER: "https://id.example/" });
    expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining("unset IDP_ISSUER") });
  });
});

describe("with SVC_HOST", () => {
  // A name of 127.0.0.2 that needs no name server.
  const host = "0x7f000002";
  const service = useService({ env: { ...embedded, SVC_HOST: host } });

  /** A request at the address of the network. */
  async function onNetwork(path: string, { host: name, ...headers }: Record<string, string>, method = "GET") {
    const { port } = new URL(service.api);
    const sent = { path, method, headers };
    const { status, body } = await sendTo(`http://127.0.0.2:${port}`, name ?? `${host}:${port}`, sent);
    return { status, body: body.toString() };
  }

  test("games are on the network, and nothing else of the service", async () => {
    const developer = await actorsOf(service).developer();
    const slug = await newProject(developer);
    await publish(developer, slug, { "index.html": "<p>play" });
    const { port } = new URL(service.api);
    const { play_url: url } = (await developer.get(`/projects/${slug}`)).body;
    expect(url).toBe(`http://${slug}.${host}:${port}/`);
    const game = await onNetwork("/", { host: `${slug}.${host}:${port}` });
    expect(game).toMatchObject({ status: 200, body: expect.stringContaining("<p>play") });
    const others = [
      onNetwork("/health", {}),
      onNetwork("/health", { host: `127.0.0.1:${port}` }),
      onNetwork("/", { host: `dashboard.localhost:${port}` }),
      onNetwork(`/projects/${slug}`, { origin: `http://${slug}.${host}:${port}` }),
    ];
    for (const { status, body } of await Promise.all(others))
      expect({ status, body }).toEqual({ status: 403, body: '{"message":"Only games are on the network."}' });
    // Telemetry reaches its function, from a game's page alone.
    const telemetry = (origin: string) =>
      onNetwork("/telemetry", { origin, "content-type": "application/json" }, "POST");
    expect((await telemetry(`http://${slug}.${host}:${port}`)).status).not.toBe(403);
    for (const origin of ["http://evil.example", `http://no_name.${host}:${port}`, `https://${slug}.${host}:${port}`])
      expect((await telemetry(origin)).status).toBe(403);
    for (const endpoint of [service.issuer, service.s3Endpoint])
      await expect(fetch(endpoint.replace("127.0.0.1", "127.0.0.2"))).rejects.toThrow();
  });

  test.each([
    ["no-such-name.invalid", "SVC_HOST is no-such-name.invalid, a name that does not resolve."],
    ["0x7f000001", "It must stand for an address of this machine on the network"],
    ["0xc0000263", "It must stand for an address of this machine on the network"],
  ])("%s is refused before anything listens", async (name, why) => {
    const result = await runProgram("programs/local.ts", [], { PORT: "0", IDP_PORT: "0", SVC_HOST: name });
    expect(result).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining(why) });
  });
});

describe("npm start -- --help", () => {
  test.each(["--help", "-h"])("%s prints every setting, starts nothing and exits with 0", async (option) => {
    const { code, stdout, stderr } = await runProgram("programs/local.ts", [option], { PORT: "taken" });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const name of Object.keys(settingsWith(localOptions))) expect(stdout).toContain(`  ${name} `);
  });

  test.each([
    ["local", "npm start"],
    ["demo", "npm run demo"],
  ])("another word to programs/%s.ts is refused with one sentence", async (file, command) => {
    const { code, stderr } = await runProgram(`programs/${file}.ts`, ["--port=1"], {});
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `${command} takes no "--port=1". It is configured by environment variables: npm start -- --help\n`,
    });
  });

  test("docs/local.md names settings that exist", async () => {
    const document = await readFile(new URL("../../../docs/local.md", import.meta.url), "utf8");
    const [table = ""] = /\| variable.*?\n\n/s.exec(document) ?? [];
    const names = table.split("\n").flatMap((row) => row.split("|")[1]?.match(/[A-Z][A-Z0-9_]+/g) ?? []);
    expect(names.length).toBeGreaterThan(5);
    expect(names.filter((name) => !(name in settingsWith(localOptions)))).toEqual([]);
  });
});

test.each([
  [["--help"], {}, 0, /^Usage: npm run --silent id-token /],
  [["--uid", "ada"], { IDP_PORT: "abc" }, 1, /^IDP_PORT must be a port number, not "abc"\.\n$/],
])("npm run id-token with %j and %j says so", async (args, env, code, text) => {
  const result = await runProgram("local/id-token.ts", args, env);
  expect(result).toEqual({
    code,
    stdout: "",
    stderr: "",
    [code === 0 ? "stdout" : "stderr"]: expect.stringMatching(text),
  });
});

test("if no provider runs, the ID token script says so and exits with 1", async () => {
  const port = String(await freePort());
  const { code, stdout, stderr } = await runProgram("local/id-token.ts", ["--uid", "ada"], { IDP_PORT: port });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toBe(`No local identity provider runs at port ${port}. Start one with \`npm start\`.\n`);
});

test.each<NodeJS.Signals>(["SIGTERM", "SIGINT"])("%s stops everything, with exit code 0", async (signal) => {
  const service = await startService({ env: embedded });
  const exit = once(service.process, "exit");
  // npm passes on the signal that it gets, and the terminal's Ctrl-C reaches both, so the service gets it twice.
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

// A service manager's stop, a closed terminal, and what nobody can react to.
test.each<NodeJS.Signals>(["SIGTERM", "SIGHUP", "SIGKILL"])(
  "%s to the npm of npm start stops the service",
  async (signal) => {
    const npm = spawn("npm", ["start"], {
      env: { ...serviceEnvironment({ env: embedded }), npm_lifecycle_event: undefined },
    });
    let output = "";
    npm.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
    });
    await eventually(() => expect(output).toContain("Ctrl-C stops."));
    const api = /The API: +(\S+)/.exec(output)?.[1] ?? "";
    expect((await fetch(`${api}/openapi.json`)).status).toBe(200);
    process.kill(npm.pid ?? 0, signal);
    expect(await isGone(api)).toBe(true);
  },
);
