import { execFile } from "node:child_process";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { accountKey, keys } from "../../../functions/table/keys.ts";
import { operate } from "../../../infra/operator/operator.ts";
import { policyOf } from "../../../infra/operator/policy.ts";
import { stages } from "../../../infra/stages.ts";
import { root } from "../../support/documents.ts";
import { githubPublisher, newRepository } from "../../support/identity/jobs.ts";
import { actorsOf, type Developer } from "../../support/service/actors.ts";
import { functionEnvironment } from "../../support/service/function-environment.ts";
import { overtakenBy } from "../../support/service/overtaken.ts";
import { play } from "../../support/service/play.ts";
import { handOver, newProject, newSlug, publish } from "../../support/service/steps.ts";
import { useFunctionEnvironment, useOwner, useRecordedService } from "../../support/service/suite.ts";
import { brokenInvariants } from "../../support/table/invariants.ts";
import { everyItem, itemsOf, setAttribute, storedItem } from "../../support/table/stored.ts";

/*
 * What the operator does for people: looks, finds, ends tokens, gives a project away, erases. The service is of this file alone, because the
 * invariants are about the whole table.
 */

const service = useRecordedService({});
const actors = actorsOf(service);
const ada = useOwner(service);
useFunctionEnvironment(service, () => ({ GAMES_DOMAIN: service.gamesDomain }));

/** Runs a command in this process. What it asks for is `input`. */
// biome-ignore lint/suspicious/noExplicitAny: what the operator is shown is checked where it is read
const operator = async (command: string, input = ""): Promise<any> =>
  await operate([...command.split(" "), "--without-games"], new Date(), { ask: async () => input });

/** Runs it as a program, which reads standard input. */
async function run(command: string, input = "") {
  const env = { ...process.env, ...functionEnvironment(service), GAMES_DOMAIN: service.gamesDomain };
  const { promise, resolve } = Promise.withResolvers<{ code: unknown; stdout: string; stderr: string }>();
  const program = execFile(
    process.execPath,
    [join(root, "programs/operator.ts"), ...command.split(" "), "--without-games"],
    { env },
    (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }),
  );
  program.stdin?.end(input);
  return await promise;
}

const keyOf = ({ uid }: { uid: string }) => accountKey(service.issuer, uid);
const account = (person: Developer) => storedItem(service, keys.account(keyOf(person)));
const project = (slug: string) => storedItem(service, keys.project(slug));

afterEach(() => service.recorder.plan(undefined));

describe("show", () => {
  test("says of an account in 15 lines who it is, where its games are and what happened last", async () => {
    for (let number = 0; number < 6; number += 1) await newProject(ada);
    await publish(ada, ada.slug, { "index.html": "1" });
    await operator(`suspend project ${(await operator(`show account ${ada.uid}`)).projects[1].slug} --reason spam`);
    const { stdout } = await run(`show account ${ada.uid}`);
    const lines = stdout.trimEnd().split("\n");
    expect(lines.length).toBeLessThanOrEqual(15);
    const { email, name } = (await account(ada)) ?? {};
    expect(lines[0]).toBe(`${name} (${ada.uid}), developer: active`);
    expect(stdout).toContain(`  mail      ${email}`);
    expect(stdout).toMatch(/^ {12}and 3 more$/m);
    expect(stdout).toMatch(/suspended since \S+ \S+, spam$/m);
    const events = lines.slice(lines.findIndex((line) => line.startsWith("  last ")));
    expect(events).toHaveLength(5);
    expect(events[0]).toMatch(/Project suspended by the operator \(.*, spam\)$/);
    expect(stdout).toContain(`Release published: #1 (${ada.slug})`);
  });

  test("says of a project its owner, mail, live URL and state, and of one that nobody can play why", async () => {
    const grace = await ada.otherDeveloper();
    const slug = await newProject(grace);
    expect((await run(`show project ${slug}`)).stdout.split("\n")[0]).toBe(`${slug}: nothing is live`);
    await publish(grace, slug, { "index.html": "1" });
    const { stdout } = await run(`show project ${slug}`);
    expect(stdout.split("\n")[0]).toMatch(
      new RegExp(`^${slug}: live since \\S+ \\S+ at http://${slug}\\.${service.gamesDomain}/$`),
    );
    expect(stdout).toContain(`(${grace.uid}): active\n`);
    expect(stdout).toContain(`  mail      ${(await account(grace))?.["email"]}`);
    expect(stdout).toMatch(/ {2}live {6}release #1 \S+, 1 files$/m);
    expect(stdout).toMatch(new RegExp(`Release published: #1 \\(by ${grace.uid}\\)$`, "m"));
    expect(stdout.trimEnd().split("\n").length).toBeLessThanOrEqual(15);
    await operator(`takedown ${slug} --reason malware`);
    expect((await run(`show project ${slug}`)).stdout).toMatch(/^\S+: taken down since .*, malware$/m);
  });

  test("prints with --json all that is stored, but no hash of a token", async () => {
    const token = await ada.token();
    const { stdout } = await run(`show account ${ada.uid} --json`);
    expect(JSON.parse(stdout)).toMatchObject({ uid: ada.uid, activeTokens: 1, tokens: [{ id: token.id }] });
    const { hash } = (await storedItem(service, keys.token(keyOf(ada), token.id))) ?? {};
    expect(stdout).not.toContain(hash);
  });

  test("a name with a line break is one line", async () => {
    await setAttribute(service, keys.account(keyOf(ada)), "name", "Ada\n  mail      someone@example.com");
    const { stdout } = await run(`show account ${ada.uid}`);
    expect(stdout.match(/^ {2}mail/gm)).toHaveLength(1);
  });
});

describe("find account", () => {
  test("finds every account with the address on standard input, which no request to the table contains", async () => {
    const grace = await ada.otherDeveloper();
    const address = "Grace.Hopper@Example.com";
    for (const person of [ada, grace]) await setAttribute(service, keys.account(keyOf(person)), "email", address);
    await setAttribute(service, keys.account(keyOf(grace)), "emailVerified", false);
    let found: { uid: string }[] = [];
    const calls = await service.recorder.during(async () => {
      found = await operator("find account", "grace.hopper@example.com");
    });
    expect(found.map(({ uid }) => uid).sort()).toEqual([ada.uid, grace.uid].sort());
    expect(calls.length).toBeGreaterThan(0);
    expect(JSON.stringify(calls.map(({ input }) => input)).toLowerCase()).not.toContain("hopper");
    const { stdout } = await run("find account", "grace.hopper@example.com\n");
    expect(stdout).toMatch(new RegExp(`^${grace.uid} .*${address}, which its provider has not verified: active$`, "m"));
  });

  test("says that there is none, and takes no address as an argument", async () => {
    expect(await run("find account", "nobody@example.com")).toMatchObject({ code: 0, stdout: "No account.\n" });
    expect(await run("find account ada@example.com")).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^An address must be on standard input/),
    });
  });
});

describe("revoke", () => {
  test("ends the token on standard input, and prints nothing of it but its hint", async () => {
    const [token, other] = [await ada.token(), await ada.token()];
    const { code, stdout, stderr } = await run("revoke token", `${token.credential}\n`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(`${token.id}, …${token.credential.slice(-4)}) of ${ada.uid} is revoked.`);
    for (const part of [token.credential.slice(4, 14), token.credential.slice(26, -4)])
      expect(stdout).not.toContain(part);
    expect(await token.get("/me")).toMatchObject({ status: 401, body: { code: "token_revoked" } });
    expect(await other.get("/me")).toMatchObject({ status: 200 });
    expect((await operator(`show account ${ada.uid}`)).activeTokens).toBe(1);
    const unknown = await run("revoke token", token.credential.slice(0, -1));
    expect(unknown).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("has no such token") });
    expect(unknown.stderr).not.toContain("pat_");
  });

  test("ends all tokens of an account whose person the provider has disabled; its games and CI jobs go on, which it names", async () => {
    const tokens = [await ada.token(), await ada.token()];
    await publish(ada, ada.slug, { "index.html": "1" });
    const publisher = githubPublisher(newRepository(), "https://token.actions.githubusercontent.com");
    expect((await ada.post(`/projects/${ada.slug}/publishers`, publisher)).status).toBe(200);
    const shown = await operator(`revoke tokens ${ada.uid}`);
    expect(shown).toMatchObject({ revoked: 2, activeTokens: 0 });
    expect(shown.ciJobs).toEqual([expect.stringMatching(new RegExp(`^${ada.slug} \\(github, `))]);
    for (const token of tokens) expect(await token.get("/me")).toMatchObject({ status: 401 });
    expect(await play(service, ada.slug)).toMatchObject({ status: 200 });
    expect(await operator(`revoke tokens ${ada.uid}`)).toMatchObject({ revoked: 0 });
  });
});

describe("give project", () => {
  test("makes another developer its owner, whom nobody has to accept; its game goes on", async () => {
    const [grace, linus] = [await ada.otherDeveloper(), await ada.otherDeveloper()];
    await publish(ada, ada.slug, { "index.html": "1" });
    const { body } = await ada.post(`/projects/${ada.slug}/invitations`, { role: "admin", to: linus.uid });
    await linus.post(`/projects/${ada.slug}/invitations/${body.id}/acceptance`);
    const shown = await operator(`give project ${ada.slug} --to ${grace.uid}`);
    expect(shown).toMatchObject({ slug: ada.slug, owner: { uid: grace.uid } });
    expect(await grace.patch(`/projects/${ada.slug}`, { name: "Mine" })).toMatchObject({ status: 200 });
    expect(await linus.get(`/projects/${ada.slug}/releases`)).toMatchObject({ status: 200 });
    expect((await ada.patch(`/projects/${ada.slug}`, { name: "x" })).status).toBe(404);
    expect([(await account(ada))?.["projectCount"], (await account(grace))?.["projectCount"]]).toEqual([0, 1]);
    expect(await play(service, ada.slug)).toMatchObject({ status: 200 });
    expect(await operator(`give project ${ada.slug} --to ${grace.uid}`)).toMatchObject({ owner: { uid: grace.uid } });
  });

  test("gives it to no user, no suspended account and nobody, and gives no project that is suspended or deleted", async () => {
    const grace = await ada.otherDeveloper();
    const user = await actors.user();
    const refused = (to: string, code: string) =>
      expect(operator(`give project ${ada.slug} --to ${to}`)).rejects.toThrow(code);
    await refused(user.uid, "developer_required");
    await refused("nobody", "user_not_found");
    await operator(`suspend account ${grace.uid} --reason spam`);
    await refused(grace.uid, "user_not_found");
    await operator(`restore account ${grace.uid}`);
    await operator(`suspend project ${ada.slug} --reason spam`);
    await refused(grace.uid, "project_suspended");
    await operator(`restore project ${ada.slug}`);
    await ada.delete(`/projects/${ada.slug}`);
    await refused(grace.uid, "project_deleted");
    await expect(operator(`give project ${ada.slug}`)).rejects.toThrow("--to must name the account that gets it.");
    await expect(operator("give project nothing-there --to x")).rejects.toThrow("project_not_found");
    expect(await project(ada.slug)).toMatchObject({ ownerKey: keyOf(ada) });
  });
});

describe("erase account", () => {
  test("changes nothing without its name once more", async () => {
    const before = await everyItem(service);
    for (const end of ["", " --confirm other"]) {
      const shown = await operator(`erase account ${ada.uid} --delete-projects${end}`);
      expect(shown).toMatchObject({ uid: ada.uid, next: expect.stringContaining(`--confirm ${ada.uid}`) });
    }
    expect(await everyItem(service)).toEqual(before);
  });

  test("deletes the account with its projects, tokens and all that is stored of its person", async () => {
    const token = await ada.token();
    await publish(ada, ada.slug, { "index.html": "1" });
    const grace = await ada.otherDeveloper();
    const shared = await newProject(grace);
    const { body } = await grace.post(`/projects/${shared}/invitations`, { role: "admin", to: ada.uid });
    await ada.post(`/projects/${shared}/invitations/${body.id}/acceptance`);
    const erase = `erase account ${ada.uid} --confirm ${ada.uid}`;
    await expect(operator(erase)).rejects.toThrow("projects_left");
    expect(await token.get("/me")).toMatchObject({ status: 200 });
    const { stdout } = await run(`${erase} --delete-projects`);
    expect(stdout).toMatch(/^The account is erased\.$/m);
    expect(await token.get("/me")).toMatchObject({ status: 401 });
    expect(await play(service, ada.slug)).toMatchObject({ status: 404 });
    const left = await itemsOf(service, keys.account(keyOf(ada)).PK);
    expect(left.map(({ SK }) => SK)).toEqual(["TOMBSTONE"]);
    expect((await project(shared))?.["members"]).toEqual({});
    await expect(operator(`${erase} --delete-projects`)).rejects.toThrow("account_required");
  });

  test("keeps as evidence an account that is suspended, and all projects if one is", async () => {
    const other = await newProject(ada);
    const erase = () => operator(`erase account ${ada.uid} --confirm ${ada.uid} --delete-projects`);
    await operator(`suspend account ${ada.uid} --reason phishing`);
    await expect(erase()).rejects.toThrow("account_suspended");
    await operator(`restore account ${ada.uid}`);
    await operator(`suspend project ${[ada.slug, other].sort()[1]} --reason phishing`);
    await expect(erase()).rejects.toThrow("project_suspended");
    expect(await account(ada)).toMatchObject({ projectCount: 2 });
  });

  test("deletes no project that is handed over meanwhile, but one that is made meanwhile", async () => {
    const grace = await ada.otherDeveloper();
    const isProjectRead = ({ operation, input }: { operation: string; input: unknown }) =>
      operation === "BatchGetItem" && JSON.stringify(input).includes(`PROJECT#${ada.slug}`);
    const slug = newSlug();
    const erase = () => operator(`erase account ${ada.uid} --confirm ${ada.uid} --delete-projects`);
    await overtakenBy(service, isProjectRead)(erase, async () => {
      await handOver(ada, ada.slug, grace);
      await newProject(ada, slug);
    });
    const given = await project(ada.slug);
    expect(given).toMatchObject({ ownerKey: keyOf(grace) });
    expect(given).not.toHaveProperty("deletedAt");
    expect(await project(slug)).toHaveProperty("deletedAt");
    expect(await account(ada)).toBeUndefined();
  });
});

describe("policy", () => {
  beforeEach(() => {
    Object.assign(process.env, { GAMES_STORE_ARN: "arn:store", GAMES_DISTRIBUTION_ID: "E1" });
  });
  afterEach(() => {
    for (const name of ["GAMES_STORE_ARN", "GAMES_DISTRIBUTION_ID"]) delete process.env[name];
  });
  const actionsOf = (rights: "read" | "change") =>
    policyOf(rights, "staging", undefined).Statement.flatMap(({ Action }) => Action);

  /** The rights that the table asks for an operation of its protocol. */
  const rightsFor = ({ operation, input }: { operation: string; input: { TransactItems?: object[] } }) =>
    operation === "TransactWriteItems"
      ? (input.TransactItems ?? []).map((write) => {
          const [kind = ""] = Object.keys(write);
          return kind === "ConditionCheck" ? "dynamodb:ConditionCheckItem" : `dynamodb:${kind}Item`;
        })
      : [`dynamodb:${operation}`];
  const used = async (commands: () => Promise<unknown>) =>
    new Set((await service.recorder.during(commands)).flatMap(rightsFor));

  test("of a colleague who looks has what the commands need that change nothing, and no more of the table", async () => {
    delete process.env["GAMES_STORE_ARN"];
    const rights = await used(async () => {
      for (const command of [`show account ${ada.uid}`, `show project ${ada.slug}`, "show waiting", "find account"])
        await operator(command, "ada@example.com");
    });
    const actions = actionsOf("read");
    expect([...rights].filter((right) => !actions.includes(right))).toEqual([]);
    expect(actions.filter((action) => action.startsWith("dynamodb:") && !rights.has(action))).toEqual([]);
    expect(actions.filter((action) => !action.startsWith("dynamodb:"))).toEqual(["cloudformation:DescribeStacks"]);
  });

  test("of one who changes has what all other commands need, and no more of the table", async () => {
    delete process.env["GAMES_STORE_ARN"];
    const grace = await ada.otherDeveloper();
    const token = await ada.token();
    await publish(ada, ada.slug, { "index.html": "1" });
    const rights = await used(async () => {
      for (const command of [
        ...[`suspend account ${ada.uid} --reason spam`, `restore account ${ada.uid}`, `approve account ${ada.uid}`],
        ...[`suspend project ${ada.slug} --reason spam`, `restore project ${ada.slug}`, `lift project ${ada.slug}`],
        ...["revoke token", `revoke tokens ${ada.uid}`, `give project ${ada.slug} --to ${grace.uid}`],
        ...[`takedown ${ada.slug} --reason spam`, `erase account ${ada.uid} --confirm ${ada.uid}`, "show waiting"],
      ])
        await operator(command, token.credential);
    });
    const actions = actionsOf("change");
    expect([...rights].filter((right) => !actions.includes(right))).toEqual([]);
    expect(actions.filter((action) => action.startsWith("dynamodb:") && !rights.has(action))).toEqual([]);
  });

  test("names one table, one stack, and for changes one store and one distribution", () => {
    const { account: number, region } = stages["staging"] as { account: string; region: string };
    const resources = policyOf("change", "staging", undefined).Statement.map(({ Resource }) => Resource);
    expect(new Set(resources)).toEqual(
      new Set([
        `arn:aws:cloudformation:${region}:${number}:stack/svc-staging/*`,
        `arn:aws:dynamodb:${region}:${number}:table/${service.tableName}`,
        "arn:store",
        `arn:aws:cloudfront::${number}:distribution/E1`,
      ]),
    );
  });

  test("needs a stage", async () => {
    await expect(operator("policy read")).rejects.toThrow("--stage must name a deployed stage.");
  });
});

test("after these tests the table keeps its invariants", async () => {
  expect(brokenInvariants(await everyItem(service))).toEqual([]);
});
