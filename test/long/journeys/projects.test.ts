import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { publishResult } from "../../support/cli/cli.ts";
import { hasTerminal, onPseudoTerminal, plainText, type TerminalRun } from "../../support/cli/terminal.ts";
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

describe("if a token may not, svc leads to the dashboard", () => {
  test.each([
    ["projects delete SLUG", "/projects/SLUG"],
    ["projects restore SLUG", "/projects/SLUG"],
    ["open --dashboard -p SLUG", "/projects/SLUG"],
    ["publishers add -p SLUG", "/projects/SLUG"],
    ["members edit -p SLUG", "/projects/SLUG"],
    ["invite -p SLUG", "/projects/SLUG"],
    ["invite 6f9b2c1e --role owner -p SLUG", "/projects/SLUG"],
    ["tokens", "/tokens"],
  ])("svc %s", async (words, path) => {
    const args = words.replace("SLUG", user.slug).split(" ");
    const url = service.dashboard.replace(/\/$/, "") + path.replace("SLUG", user.slug);
    const [text, json] = await Promise.all([svc(args, { env: { SVC_TOKEN: "" } }), svc([...args, "--json"])]);
    expect({ code: text.code, stderr: text.stderr }).toEqual({ code: 0, stderr: "" });
    expect(text.stdout.split("\n").at(-2)).toBe(url);
    expect(json.json).toMatchObject({ url, opened: false });
  });
});

test("svc releases delete leads to the dashboard, and says before if the release cannot be deleted", async () => {
  write({ "index.html": "one" });
  const { release: first } = publishResult(await publish("-m", "First"));
  const remove = (...args: string[]) => svc(["releases", "delete", ...args, "-p", user.slug]);
  expect(await remove("1")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("the live one cannot be deleted"),
  });
  write({ "index.html": "two" });
  await publish();
  const { code, stdout } = await remove("1");
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(
      new RegExp(
        `^Find #1 \\(${first}, .*, First\\) of ${user.slug} there .*, and choose Delete release:\\n${service.dashboard}projects/${user.slug}\\n$`,
      ),
    ),
  });
  expect((await svc(["withdraw", first, "-p", user.slug], { env: { SVC_TOKEN: "" } })).stdout).toContain(
    `Find release ${first}`,
  );
  await user.developer.post(`/projects/${user.slug}/releases/${first}/withdraw`);
  expect((await remove(first)).stderr).toContain("is deleted already");
});

onTerminal("on a terminal", () => {
  const opening = () => {
    writeFileSync(join(person.home, "browser"), `#!/bin/sh\necho "$1" > ${person.home}/opened\n`, { mode: 0o755 });
    return { BROWSER: join(person.home, "browser"), DISPLAY: ":0" };
  };

  test.each(["tokens", "open --dashboard -p SLUG", "projects delete SLUG", "projects restore SLUG"])(
    "svc %s opens the page in the browser",
    async (words) => {
      const { code, shown } = await terminal(words.replace("SLUG", user.slug), { env: opening() });
      expect(code).toBe(0);
      const url = plainText(shown).trim().split("\n").at(-1);
      await eventually(() => expect(readFileSync(join(person.home, "opened"), "utf8")).toBe(`${url}\n`));
    },
  );

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

describe("svc publish --create", () => {
  test("creates the missing project and publishes, once; without it a script fails", async () => {
    write({ "index.html": "<h1>Game</h1>" });
    const slug = newSlug();
    expect((await svc(["publish", "game", "-p", slug])).code).toBe(1);
    // A dry run changes nothing.
    expect((await svc(["publish", "game", "-p", slug, "--create", "--dry-run"])).code).toBe(1);
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
    expect(await svc(["publish", "game", "-p", slug, "--create"])).toMatchObject({
      code: 6,
      stderr: expect.stringContaining("slug_taken"),
    });
  });
});
