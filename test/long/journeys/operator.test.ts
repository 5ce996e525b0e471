import "../../../programs/stage-options.ts";
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { accountKey, keys } from "../../../functions/table/keys.ts";
import { operate } from "../../../infra/operator/operator.ts";
import { stages } from "../../../infra/stages.ts";
import { runProgram } from "../../support/program.ts";
import { actorsOf, type Developer } from "../../support/service/actors.ts";
import { functionEnvironment } from "../../support/service/function-environment.ts";
import { withProject } from "../../support/service/operations.ts";
import { overtakenBy } from "../../support/service/overtaken.ts";
import { play } from "../../support/service/play.ts";
import { offer, publish } from "../../support/service/steps.ts";
import { useFunctionEnvironment, useOwner, useRecordedService } from "../../support/service/suite.ts";
import { brokenInvariants } from "../../support/table/invariants.ts";
import { everyItem, setAttribute, storedItem } from "../../support/table/stored.ts";

/** Service of this file alone, because the invariants are about the whole table. */
const service = useRecordedService({});
const actors = actorsOf(service);
const ada = useOwner(service);
useFunctionEnvironment(service, () => ({ GAMES_DOMAIN: service.gamesDomain }));
const overtaken = overtakenBy(service);
let path: string;

beforeEach(() => {
  path = `/projects/${ada.slug}`;
});

// biome-ignore lint/suspicious/noExplicitAny: what the operator is shown is checked where it is read
const operator = async (command: string): Promise<any> =>
  await operate([...command.split(" "), "--without-games"], new Date());
const project = () => storedItem(service, keys.project(ada.slug));
const account = (person: Developer) => storedItem(service, keys.account(accountKey(service.issuer, person.uid)));
/** The export shows them to a suspended account too. */
const events = async (person: Developer) => {
  const { body } = await person.get(`/me/export?cursor=${Buffer.from("events::").toString("base64url")}`);
  return body.records.map(({ event }: { event: unknown }) => event);
};
/** Runs the command as the operator does. */
function run(command: string) {
  const file = fileURLToPath(new URL("../../../programs/operator.ts", import.meta.url));
  const env = { ...process.env, ...functionEnvironment(service), GAMES_DOMAIN: service.gamesDomain };
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) =>
    execFile(process.execPath, [file, ...command.split(" ").filter(Boolean)], { env }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    ),
  );
}
const suspended = { status: 403, body: { code: "account_suspended" } };

describe("suspend account", () => {
  test("closes an account, its tokens and its games with the next request", async () => {
    const token = await ada.token({ scopes: ["publish", "projects"] });
    await publish(ada, ada.slug, { "index.html": "<p>play" });
    expect(await play(service, ada.slug)).toMatchObject({ status: 200 });
    const shown = await operator(`suspend account ${ada.uid} --reason phishing`);
    expect(shown).toMatchObject({ uid: ada.uid, suspension: { reason: "phishing" }, activeTokens: 1 });
    expect(shown.projects).toMatchObject([{ slug: ada.slug, suspension: { reason: "phishing", withAccount: true } }]);
    for (const actor of [ada, token]) {
      expect(await actor.get("/projects")).toMatchObject(suspended);
      expect(await actor.get("/me")).toMatchObject({ status: 200, body: { suspension: { reason: "phishing" } } });
    }
    expect(await ada.delete("/me")).toMatchObject(suspended);
    expect(await ada.post("/auth/session")).toMatchObject(suspended);
    expect(await ada.delete(`/tokens/${token.id}`)).toMatchObject({ status: 204 });
    expect(await actors.anonymous.get(`/users/${ada.uid}`)).toMatchObject({ status: 404 });
    for (const end of ["", "/files/index.html"])
      expect(await actors.anonymous.get(path + end)).toMatchObject({
        status: 410,
        body: { code: "project_taken_down" },
      });
    expect((await events(ada)).find(({ type }: { type: string }) => type === "account_suspended")).toMatchObject({
      reason: "phishing",
    });
    expect(await play(service, ada.slug)).toMatchObject({ status: 410 });

    await operator(`restore account ${ada.uid}`);
    expect(await account(ada)).not.toHaveProperty("suspension");
    expect(await ada.get("/projects")).toMatchObject({ status: 200, body: { projects: [{ suspension: null }] } });
    expect(await actors.anonymous.get(`${path}/files/index.html`)).toMatchObject({ status: 200 });
    expect((await events(ada))[0]).toMatchObject({ type: "account_reinstated" });
  });

  test("a project that is suspended on its own meanwhile stays closed when its account is restored", async () => {
    await operator(`suspend account ${ada.uid} --reason spam`);
    await operator(`suspend project ${ada.slug} --reason copyright`);
    await operator(`restore account ${ada.uid}`);
    expect((await project())?.["suspension"]).toEqual({ at: expect.any(String), reason: "copyright" });
  });

  test("a project that is restored meanwhile stays closed with its account", async () => {
    await operator(`suspend project ${ada.slug} --reason copyright`);
    await operator(`suspend account ${ada.uid} --reason spam`);
    expect((await project())?.["suspension"]).toEqual({ at: expect.any(String), reason: "copyright" });
    await operator(`restore project ${ada.slug}`);
    expect(await project()).toMatchObject({ suspension: { reason: "spam", withAccount: true } });
    await operator(`restore project ${ada.slug}`);
    expect(await project()).toHaveProperty("suspension");
    const kinds = (await events(ada)).map(({ type }: { type: string }) => type);
    expect(kinds.filter((type: string) => type === "project_reinstated")).toHaveLength(1);
    await operator(`restore account ${ada.uid}`);
    expect(await project()).not.toHaveProperty("suspension");
  });

  test("keeps closed what is suspended on its own, or taken down, while the account is restored", async () => {
    for (const command of ["suspend project", "takedown"]) {
      await operator(`suspend account ${ada.uid} --reason spam`);
      const restore = () => operator(`restore account ${ada.uid}`);
      await overtaken(restore, () => operator(`${command} ${ada.slug} --reason copyright`));
      expect(await account(ada)).not.toHaveProperty("suspension");
      expect(await project()).toMatchObject({ suspension: { reason: "copyright" } });
    }
  });
});

describe("suspend project", () => {
  test("takes a game from visitors and keeps its owner from changing, deleting or handing it over", async () => {
    const grace = await ada.otherDeveloper();
    await publish(ada, ada.slug, { "index.html": "1" });
    const shown = await operator(`suspend project http://${ada.slug}.${service.gamesDomain}/level --reason malware`);
    expect(shown).toMatchObject({ slug: ada.slug, owner: { uid: ada.uid }, suspension: { reason: "malware" } });
    expect(shown.releases).toHaveLength(1);
    const closed = { status: 403, body: { code: "project_suspended" } };
    expect(await ada.delete(path)).toMatchObject(closed);
    expect(await ada.patch(path, { name: "x" })).toMatchObject(closed);
    expect(await ada.post(`${path}/invitations`, { role: "owner", to: grace.uid })).toMatchObject(closed);
    expect(await ada.get(`${path}/releases`)).toMatchObject({ status: 200 });
    expect((await ada.get("/projects")).body.projects).toMatchObject([{ suspension: { reason: "malware" } }]);
    expect(await actors.anonymous.get(path)).toMatchObject({ status: 410 });
    expect((await events(ada))[0]).toMatchObject({ type: "project_suspended", project: ada.slug, reason: "malware" });
    await operator(`suspend project ${ada.slug} --reason other`);
    expect(await project()).toMatchObject({ suspension: { reason: "malware" } });
    await operator(`restore project ${ada.slug}`);
    expect(await actors.anonymous.get(`${path}/files/index.html`)).toMatchObject({ status: 200 });
    expect((await events(ada))[0]).toMatchObject({ type: "project_reinstated", project: ada.slug });
  });
});

describe("takedown", () => {
  test("deletes a project for good, until the operator lifts it", async () => {
    await offer(ada, ada.slug, await actors.developer());
    await operator(`suspend project ${ada.slug} --reason copyright`);
    await operator(`takedown ${ada.slug} --reason legal_request`);
    expect(await project()).not.toHaveProperty("invitations");
    expect(await project()).toMatchObject({ deletedAt: expect.any(String), suspension: { reason: "legal_request" } });
    expect(await account(ada)).toMatchObject({ projectCount: 0 });
    expect((await ada.get("/projects?state=deleted")).body.projects).toMatchObject([
      { slug: ada.slug, suspension: { reason: "legal_request" } },
    ]);
    expect(await ada.post(`${path}/restore`)).toMatchObject({ status: 403, body: { code: "project_suspended" } });
    expect(await ada.post("/projects", { slug: ada.slug })).toMatchObject({ status: 409 });
    expect(await actors.anonymous.get(path)).toMatchObject({ status: 410 });
    await operator(`restore project ${ada.slug}`);
    expect(await actors.anonymous.get(path)).toMatchObject({ status: 404 });
    expect(await ada.post(`${path}/restore`)).toMatchObject({ status: 200 });
  });

  test("that is lifted while the account is suspended lets the owner restore the project once the account is", async () => {
    await operator(`suspend account ${ada.uid} --reason stolen_account`);
    await operator(`takedown ${ada.slug} --reason phishing`);
    await operator(`restore project ${ada.slug}`);
    expect(await ada.post(`${path}/restore`)).toMatchObject(suspended);
    await operator(`restore account ${ada.uid}`);
    expect(await ada.post(`${path}/restore`)).toMatchObject({ status: 200 });
  });

  test("of a deleted project that its owner restores meanwhile deletes it again", async () => {
    await ada.delete(path);
    const takedown = () => operator(`takedown ${ada.slug} --reason malware`);
    await overtaken(takedown, () => ada.post(`${path}/restore`));
    expect(await project()).toMatchObject({ deletedAt: expect.any(String), suspension: { isTakedown: true } });
    expect(await account(ada)).toMatchObject({ projectCount: 0 });
  });

  test("of a deleted project keeps its owner from restoring it, also if the account is gone", async () => {
    await ada.delete(path);
    await operator(`takedown ${ada.slug} --reason malware`);
    expect(await ada.post(`${path}/restore`)).toMatchObject({ status: 403 });
    const grace = await withProject(await actors.developer());
    await grace.delete(`/projects/${grace.slug}`);
    await grace.delete("/me");
    expect(await operator(`takedown ${grace.slug} --reason malware`)).toMatchObject({ owner: null });
    expect(await operator(`restore project ${grace.slug}`)).not.toHaveProperty("suspension");
  });
});

test("after these tests the table keeps its invariants", async () => {
  expect(brokenInvariants(await everyItem(service))).toEqual([]);
});

test.each([
  ["nonsense", "Unknown command."],
  ["suspend account", "Unknown command."],
  ["suspend account a b --reason spam", "Unknown command."],
  ["suspend account somebody", "--reason must be one of the reasons."],
  ["suspend account somebody --reason whim", "--reason must be one of the reasons."],
  ["show account nobody", "user_not_found"],
  ["takedown nothing-there --reason spam", "project_not_found"],
  ["takedown https://victim.attacker.example/ --reason spam", "victim.attacker.example is no game's host"],
  ["takedown https://victim.localhost.attacker.example/ --reason spam", "is no game's host"],
  ["takedown http://deep.victim.localhost/ --reason spam", "is no game's host"],
  ["takedown http://localhost/ --reason spam", "is no game's host"],
])("refuses %s", async (command, message) => {
  await expect(operator(command)).rejects.toThrow(message);
});

test.each<[string, string, Record<string, string>]>([
  ["show project game", "No table is named: add --stage NAME or --stack STACK, or set TABLE_NAME.", {}],
  ["repair pointers", "No table is named: add --stage NAME or --stack STACK, or set TABLE_NAME.", {}],
  ["show account ada", "A uid needs the identity provider: add --stage NAME, or set IDP_ISSUER.", { TABLE_NAME: "t" }],
  ["--stage nowhere show project game", "nowhere", {}],
  [
    "show project game",
    "There are no AWS credentials: The environment has none.",
    { TABLE_NAME: "t", AWS_REGION: "local" },
  ],
  [
    "show project game",
    "There is no table t in this region and account.",
    { TABLE_NAME: "t", DYNAMODB_ENDPOINT: "here" },
  ],
  [
    "show project game",
    "The table t cannot be reached: ",
    { TABLE_NAME: "t", DYNAMODB_ENDPOINT: "http://127.0.0.1:9" },
  ],
])("as a program, %s without what it needs says %j, and prints no stack", async (command, message, settings) => {
  const none = Object.fromEntries(Object.keys(process.env).map((name) => [name, undefined]));
  const { DYNAMODB_ENDPOINT: endpoint } = settings;
  const engine = endpoint && {
    ...{ DYNAMODB_ENDPOINT: endpoint === "here" ? service.dynamodbEndpoint : endpoint, AWS_REGION: "local" },
    ...{ AWS_ACCESS_KEY_ID: "local", AWS_SECRET_ACCESS_KEY: "local" },
  };
  const env = { ...none, PATH: process.env["PATH"], ...settings, ...engine };
  const { code, stdout, stderr } = await runProgram("programs/operator.ts", command.split(" "), env);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr.split("\n")[0]).toContain(message);
  expect(stderr).not.toMatch(/^ +at /m);
});

test.each(["", "--0123456789abcdef0123"])(
  "takes the URL where a game is played, and of a preview: %p",
  async (preview) => {
    const url = `http://${ada.slug}${preview}.${service.gamesDomain}/level?x=1`;
    expect(await operator(`show project ${url}`)).toMatchObject({ slug: ada.slug });
  },
);

describe("a stage", () => {
  const certificateArn = "arn:aws:acm:us-east-1:111111111111:certificate/1";
  const gamesDomain = { name: "games.example.net", certificateArn };
  const names = [
    ...["TABLE_NAME", "GAMES_STORE_ARN", "GAMES_DISTRIBUTION_ID", "IDP_ISSUER", "GAMES_DOMAIN"],
    ...["AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"],
  ];
  let before: Record<string, string | undefined>;
  beforeEach(() => {
    before = Object.fromEntries(names.map((name) => [name, process.env[name]]));
    Object.assign(stages, { games: { ...stages["staging"], gamesDomain } });
    delete process.env["TABLE_NAME"];
  });
  afterEach(() => {
    for (const [name, value] of Object.entries(before))
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  });

  /** The AWS command line of a stack with these outputs. */
  const commandOf =
    (outputs: Readonly<Record<string, string>>, asked: string[][] = []) =>
    () =>
    async (...args: string[]) => {
      asked.push(args);
      if (args[0] === "configure") return { AccessKeyId: "signed-in", SecretAccessKey: "secret" };
      return {
        Stacks: [{ Outputs: Object.entries(outputs).map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue })) }],
      };
    };
  const show = async (outputs: Readonly<Record<string, string>>, asked?: string[][], stage = "games") =>
    await operate(["--stage", stage, "show", "project", ada.slug], new Date(), { command: commandOf(outputs, asked) });
  const found = () => ({ TableName: String(before["TABLE_NAME"]), GamesStoreArn: "arn", GamesDistributionId: "E1" });

  test("is found by the outputs of its stack", async () => {
    const asked: string[][] = [];
    expect(await show(found(), asked)).toMatchObject({ slug: ada.slug });
    expect(asked).toEqual([["cloudformation", "describe-stacks", "--stack-name", "svc-games"]]);
    expect(process.env).toMatchObject({ GAMES_STORE_ARN: "arn", GAMES_DISTRIBUTION_ID: "E1" });
  });

  test("is used with the sign-in of the AWS command line if the environment has no credentials", async () => {
    for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]) delete process.env[name];
    const asked: string[][] = [];
    expect(await show(found(), asked)).toMatchObject({ slug: ada.slug });
    expect(asked[0]).toEqual(["configure", "export-credentials"]);
    expect(process.env).toMatchObject({ AWS_ACCESS_KEY_ID: "signed-in", AWS_SECRET_ACCESS_KEY: "secret" });
  });

  test("whose stack lacks an output that it needs is not used", async () => {
    for (const name of ["TableName", "GamesStoreArn", "GamesDistributionId"] as const) {
      const { [name]: _, ...others } = found();
      for (const variable of ["TABLE_NAME", "GAMES_STORE_ARN", "GAMES_DISTRIBUTION_ID"]) delete process.env[variable];
      await expect(show(others)).rejects.toThrow(`The stack svc-games has no output ${name}`);
    }
  });

  test("with a user pool of its own finds the issuer there, whatever the environment says", async () => {
    Object.assign(stages, { pool: { ...stages["staging"], identityProvider: "cognito", dashboard: undefined } });
    process.env["IDP_ISSUER"] = "https://other.example.com";
    const outputs = { TableName: String(before["TABLE_NAME"]), Issuer: "https://pool.example.com" };
    expect(await show(outputs, [], "pool")).toMatchObject({ slug: ada.slug });
    expect(process.env["IDP_ISSUER"]).toBe("https://pool.example.com");
    const { Issuer: _, ...others } = outputs;
    delete process.env["TABLE_NAME"];
    await expect(show(others, [], "pool")).rejects.toThrow("The stack svc-pool has no output Issuer");
  });

  describe("in a stack of somebody's own", () => {
    const outputs = () => ({
      ...{ TableName: String(before["TABLE_NAME"]), Issuer: service.issuer, LeftOutOptions: "notices,statistics" },
      Queue: "url",
    });
    const inStack = async (words: readonly string[], found: Readonly<Record<string, string>>, asked: string[][] = []) =>
      await operate(["--stack", "Games", ...words], new Date(), { command: commandOf(found, asked) });
    afterEach(() => {
      delete process.env["LEFT_OUT_OPTIONS"];
    });

    test("is found by the outputs of its construct, without a file of stages", async () => {
      const asked: string[][] = [];
      expect(await inStack(["show", "project", ada.slug], outputs(), asked)).toMatchObject({ slug: ada.slug });
      expect(asked).toEqual([["cloudformation", "describe-stacks", "--stack-name", "Games"]]);
      expect(process.env).toMatchObject({ IDP_ISSUER: service.issuer, LEFT_OUT_OPTIONS: "notices,statistics" });
      expect(process.env).toMatchObject({ GAMES_DOMAIN: "", GAMES_STORE_ARN: "" });
    });

    test("is not used if the stack lacks one of them, or its region is not named", async () => {
      for (const name of ["TableName", "Issuer"] as const) {
        const { [name]: _, ...others } = outputs();
        await expect(inStack(["show", "waiting"], others)).rejects.toThrow(
          `The stack Games has no output ${name}: is a Svc in it?`,
        );
      }
      delete process.env["AWS_REGION"];
      await expect(inStack(["show", "waiting"], outputs())).rejects.toThrow("--stack needs the stack's region");
    });

    test("finds the edge of its games, and has none without a games domain", async () => {
      const games = { GamesDomain: "games.example.net", GamesStoreArn: "arn", GamesDistributionId: "E1" };
      await inStack(["show", "project", ada.slug], { ...outputs(), ...games });
      expect(process.env).toMatchObject({
        ...{ GAMES_DOMAIN: "games.example.net", GAMES_STORE_ARN: "arn", GAMES_DISTRIBUTION_ID: "E1" },
      });
    });

    test("that is not there is named", async () => {
      const gone = () => async () => {
        throw new Error("Stack with id Games does not exist");
      };
      await expect(operate(["--stack", "Games", "show", "waiting"], new Date(), { command: gone })).rejects.toThrow(
        "The account has no stack Games in",
      );
    });

    test("can be changed without a store of games if it has no games domain", async () => {
      const shown = await inStack(["suspend", "project", ada.slug, "--reason", "spam"], outputs());
      expect(shown).toMatchObject({ suspension: { reason: "spam" } });
    });
  });

  test("without a games domain needs its table alone", async () => {
    expect(await show({ TableName: String(before["TABLE_NAME"]) }, [], "staging")).toMatchObject({ slug: ada.slug });
  });
});

test("nothing is changed without the store that takes a game from players", async () => {
  for (const command of ["suspend project", "takedown", "restore project"])
    await expect(operate([...command.split(" "), ada.slug, "--reason", "spam"], new Date())).rejects.toThrow(
      "GAMES_STORE_ARN is not set, so players would go on playing.",
    );
  expect(await project()).not.toHaveProperty("suspension");
});

test.each([["--help"], ["-h"], []])("%j prints what there is", async (...words) => {
  const { code, stdout, stderr } = await run(words.join(" "));
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/^Usage: npm run --silent operator/);
});

test("--stage local without a service that runs says so", async () => {
  process.env["PORT"] = "1";
  await expect(operate(["--stage", "local", "show", "project", ada.slug], new Date())).rejects.toThrow(
    "No local service runs at port 1: npm start, or set PORT.",
  );
  delete process.env["PORT"];
});

test("no character of a name or a description changes the operator's terminal", async () => {
  const dangerous = "\u001b[2J\u009b31m\u0085\u202e\u2066gpj.exe\u200b\u{e0041}\u2028";
  await setAttribute(service, keys.project(ada.slug), "description", dangerous);
  const { stdout } = await run(`show project ${ada.slug} --json`);
  expect(JSON.parse(stdout).description).toBe(dangerous);
  expect(stdout.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  const { stderr } = await run("takedown http://a\u200bb\u009b.example/ --reason spam");
  expect(stderr.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
});

test("the command prints with --json what is stored, and of a mistake what it is and where all commands are", async () => {
  const shown = await run(`show account key:${accountKey(service.issuer, ada.uid)} --json`);
  expect({ ...shown, stdout: JSON.parse(shown.stdout) }).toMatchObject({
    code: 0,
    stdout: { uid: ada.uid },
    stderr: "",
  });
  expect(shown.stdout).not.toContain("hash");
  const unknown = await run("show project nothing-there");
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining("No project has this slug.") });
  for (const [words, sentence] of [
    ["suspend everything", "Unknown command."],
    ["show waiting --bogus", "Unknown option '--bogus'."],
  ] as const)
    expect(await run(words)).toEqual({
      code: 1,
      stdout: "",
      stderr: `${sentence}\nAll commands: npm run --silent operator -- --help\n`,
    });
});
