import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { publishResult } from "../../support/cli/cli.ts";
import { hasTerminal, onPseudoTerminal, plainText, replying, type TerminalRun } from "../../support/cli/terminal.ts";
import { eventually } from "../../support/eventually.ts";
import { actorsOf } from "../../support/service/actors.ts";
import { usePublishingUser } from "../../support/service/publishing-user.ts";
import { newProject, newSlug } from "../../support/service/steps.ts";

const user = usePublishingUser();
const { service, person, svc, publish, write } = user;
const onTerminal = hasTerminal ? describe : describe.skip;

const terminal = (args: string, { env, ...run }: TerminalRun = {}) =>
  onPseudoTerminal(person, args, {
    ...run,
    env: { SVC_API: service.api, SVC_TOKEN: user.token.credential, ...env },
  });
const project = async (slug = user.slug): Promise<Record<string, unknown>> =>
  (await (await fetch(`${service.api}/projects/${slug}`)).json()) as Record<string, unknown>;

describe("svc projects edit", () => {
  test("changes only what is named, and an empty description removes it", async () => {
    const named = await svc(["projects", "edit", user.slug, "--name", "Better", "--description", "Ships"]);
    expect(named).toMatchObject({ code: 0, stdout: `Changed ${user.slug}: Better, Ships\n` });
    expect(await project()).toMatchObject({ name: "Better", description: "Ships" });
    const { code, json } = await svc(["projects", "edit", user.slug, "--description", "", "--json"]);
    expect({ code, json }).toMatchObject({ code: 0, json: { slug: user.slug, name: "Better", description: null } });
    expect(await project()).toMatchObject({ name: "Better", description: null });
  });

  test("shows where the live release comes from, and hides it again", async () => {
    const shown = await svc(["projects", "edit", user.slug, "--show-provenance"]);
    expect(shown).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Visibility: everybody sees the repository's name"),
    });
    expect(await project()).toMatchObject({ show_provenance: true });
    expect(await svc(["projects", "edit", user.slug, "--no-show-provenance"])).toMatchObject({ code: 0 });
    expect(await project()).toMatchObject({ show_provenance: false });
  });

  test("takes the project of svc.toml, and fails if somebody else has it", async () => {
    writeFileSync(join(person.home, "svc.toml"), `project = "${user.slug}"\n`);
    expect(await svc(["projects", "edit", "--name", "From svc.toml"])).toMatchObject({ code: 0 });
    expect(await svc(["projects", "edit", newSlug(), "--name", "X"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("project_not_found"),
    });
  });
});

describe("svc offline", () => {
  test("takes the project offline, and keeps its releases", async () => {
    write({ "index.html": "<h1>Game</h1>" });
    const { release } = publishResult(await publish());
    expect(await svc(["offline", user.slug, "--expect-current", "0Vx3mGk8cW2bT7qLr9Zs4A"])).toMatchObject({
      code: 6,
    });
    const { code, json } = await svc(["projects", "unpublish", user.slug, "--expect-current", release, "--json"]);
    expect({ code, json }).toMatchObject({ code: 0, json: { project: user.slug, unpublished: true } });
    expect(await project()).toMatchObject({ current_release: null });
    expect(await svc(["live", release, "--project", user.slug])).toMatchObject({ code: 0 });
  });
});

test("svc open PLACE prints a place of the dashboard, without a token too", async () => {
  const url = `${service.dashboard}projects/${user.slug}/settings#members`;
  const args = ["open", "members", "-p", user.slug];
  const [text, json] = await Promise.all([svc(args, { env: { SVC_TOKEN: "" } }), svc([...args, "--json"])]);
  expect(text).toMatchObject({ code: 0, stdout: `${url}\n`, stderr: "" });
  expect(json.json).toEqual({ place: "members", project: user.slug, url, opened: false });
  expect((await svc(["open", "tokens", "--json"])).json).toEqual({
    place: "tokens",
    url: `${service.dashboard}tokens`,
    opened: false,
  });
});

onTerminal("on a terminal", () => {
  const opening = () => {
    writeFileSync(join(person.home, "browser"), `#!/bin/sh\necho "$1" > ${person.home}/opened\n`, { mode: 0o755 });
    return { BROWSER: join(person.home, "browser"), DISPLAY: ":0" };
  };

  test.each(["open tokens", "open overview -p SLUG"])("svc %s opens the page in the browser", async (words) => {
    const { code, shown } = await terminal(words.replace("SLUG", user.slug), { env: opening() });
    expect(code).toBe(0);
    const url = plainText(shown).trim().split("\n").at(-1);
    await eventually(() => expect(readFileSync(join(person.home, "opened"), "utf8")).toBe(`${url}\n`));
  });

  test("svc offline asks, and everything but yes changes nothing", async () => {
    write({ "index.html": "<h1>Game</h1>" });
    await publish();
    const question = { typeAfter: "offline? Nobody can play it then. [y/N]" };
    const refused = await terminal(`offline ${user.slug}`, { ...question, typed: "\r" });
    expect({ code: refused.code, text: plainText(refused.shown) }).toMatchObject({
      code: 0,
      text: expect.stringContaining("Nothing was changed."),
    });
    expect((await project())["current_release"]).not.toBeNull();
    expect(await terminal(`offline ${user.slug}`, { ...question, typed: "y\r" })).toMatchObject({ code: 0 });
    expect((await project())["current_release"]).toBeNull();
  });

  test("svc projects edit says what the project is called now", async () => {
    const { code, shown } = await terminal(`projects edit ${user.slug} --name Faster`);
    expect({ code, text: plainText(shown) }).toEqual({ code: 0, text: `Changed ${user.slug}: Faster\n` });
  });

  test("svc publish asks in a fresh folder which project it is, and svc.toml keeps it", async () => {
    const slug = newSlug();
    write({ "index.html": "<h1>Game</h1>" }, `${slug}/dist`);
    const { code, shown } = await terminal(`publish -C ${slug}`, replying("My_Game\r", "\r", "y\r"));
    const text = plainText(shown);
    expect({ code, text }).toMatchObject({ code: 0 });
    expect(text).toMatch(new RegExp(`Which project\\? Its address will be in the game's URL \\[${slug}\\]: +My_Game`));
    expect(text).toContain("My_Game cannot be an address: 3 to 40 of a-z, 0-9 and -.");
    expect(text).toContain(`Wrote svc.toml: dist is published as ${slug}.`);
    expect(text).toContain(`Created project ${slug}.`);
    expect(readFileSync(join(person.home, slug, "svc.toml"), "utf8")).toContain(`project = "${slug}"\ndir = "dist"\n`);
    expect((await svc(["publish", "-C", slug, "--json"])).stdout).toContain('"event":"unchanged"');
  });

  test("svc publish offers to create the missing project; no leaves everything as it was", async () => {
    write({ "index.html": "<h1>Game</h1>" });
    const slug = newSlug();
    const question = { typeAfter: `You have no project ${slug}. Create it? [y/N]` };
    const refused = await terminal(`publish game --project ${slug}`, { ...question, typed: "n\r" });
    expect({ code: refused.code, shown: refused.shown }).toMatchObject({
      code: 1,
      shown: expect.stringContaining("project_not_found"),
    });
    expect(await project(slug)).toMatchObject({ code: "project_not_found" });
    const { code, shown } = await terminal(`publish game --project ${slug}`, { ...question, typed: "y\r" });
    expect(code).toBe(0);
    expect(plainText(shown)).toContain(`Created project ${slug}.\nPublished 1 file `);
    expect((await project(slug))["current_release"]).not.toBeNull();
  });
});

describe("a project that the account does not have", () => {
  test("is met by the nearest one of its own, by commands and by the offer to create it", async () => {
    write({ "index.html": "<h1>Game</h1>" });
    const typed = `${user.slug}x`;
    const message = `You have no project ${typed}. Did you mean ${user.slug}?`;
    for (const args of ["releases", "publish game", "publish game --dry-run", "projects edit --name X"]) {
      const { code, json } = await svc([...args.split(" "), "-p", typed, "--json"]);
      expect({ args, code, json }).toMatchObject({
        ...{ args, code: 1 },
        json: {
          error: {
            code: "project_not_found",
            message,
            next: `--project ${user.slug}; or create it: svc projects create ${typed}`,
          },
        },
      });
    }
    if (!hasTerminal) return;
    const { code, shown } = await terminal(`publish game -p ${typed}`);
    expect({ code, text: plainText(shown).replace(/\s+/g, " ") }).toEqual({
      code: 1,
      text: expect.stringContaining(message),
    });
  });

  test("but is of another saved account, is met by that account", async () => {
    const other = await actorsOf(service).developer({ name: "Grace Hopper" });
    const theirs = await newProject(other);
    for (const each of [other, user.developer])
      expect(
        await person.run(["login", "--token", "-"], {
          env: { SVC_API: service.api },
          input: (await each.token({ scopes: ["publish", "projects"] })).credential,
        }),
      ).toMatchObject({ code: 0 });
    const run = (...args: string[]) => person.run(args, { env: { SVC_API: service.api } });
    expect((await run("releases", "-p", theirs, "--json")).json.error).toMatchObject({
      ...{ code: "project_not_found", message: `You have no project ${theirs}. Grace Hopper has it.` },
      next: `--account ${other.uid}`,
    });
    expect((await run("releases", "-p", theirs, "--account", other.uid)).code).toBe(0);
    // With SVC_TOKEN no account can be chosen.
    expect((await svc(["releases", "-p", theirs])).stderr).not.toContain("Grace");
  });
});

describe("svc publish --create", () => {
  test("creates the missing project and publishes, once; without it a script fails", async () => {
    write({ "index.html": "<h1>Game</h1>" });
    const slug = newSlug();
    expect((await svc(["publish", "game", "-p", slug])).code).toBe(1);
    // A dry run works before the project exists, and creates nothing.
    const dry = await svc(["publish", "game", "-p", slug, "--dry-run", "--json"]);
    expect({ code: dry.code, outcome: publishResult(dry) }).toMatchObject({
      code: 0,
      outcome: {
        ...{ event: "dry_run", creates_project: true, previous_release: null },
        ...{ added: { count: 1, paths: ["index.html"] }, to_send: { files: 1, variants: 0, bytes: 13 } },
      },
    });
    expect((await svc(["publish", "game", "-p", slug, "--dry-run"])).stdout).toContain(
      `The project ${slug} does not exist yet; publishing creates it.\nThis was a dry run: nothing was changed.\n`,
    );
    expect(await project(slug)).toMatchObject({ code: "project_not_found" });
    const { code, stdout } = await svc(["publish", "game", "-p", slug, "--create"]);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining(`Created project ${slug}.\n`) });
    const again = await svc(["publish", "game", "-p", slug, "--create"]);
    expect(again.stdout).toMatch(/^Nothing to do/);
  });

  test("says that somebody else has the name", async () => {
    write({ "index.html": "<h1>Game</h1>" });
    const other = await actorsOf(service).developer();
    const slug = await newProject(other);
    for (const flag of ["--create", "--dry-run"])
      expect(await svc(["publish", "game", "-p", slug, flag])).toMatchObject({
        code: 6,
        stderr: expect.stringContaining("slug_taken"),
      });
  });
});
