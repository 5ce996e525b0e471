import { chownSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { publishResult, writeFiles } from "../../support/cli/cli.ts";
import { usePublishingUser } from "../../support/service/publishing-user.ts";

const user = usePublishingUser();
const { person, svc, write } = user;

describe("svc.toml", () => {
  test("svc init in a folder whose name gives no address asks for one", async () => {
    for (const name of ["星跳び", "ab", "--"]) {
      const cwd = join(person.home, "folders", name);
      mkdirSync(cwd, { recursive: true });
      const { code, json } = await person.run(["init", "--json"], { cwd });
      expect({ code, error: json.error }).toMatchObject({
        code: 2,
        error: { code: "invalid_slug", message: expect.stringContaining(name), next: "svc init my-game" },
      });
      expect(existsSync(join(cwd, "svc.toml"))).toBe(false);
    }
    const cwd = join(person.home, "folders", "Étoile 2");
    mkdirSync(cwd, { recursive: true });
    // A folder of built files without a page is not the game.
    writeFiles(cwd, { "build/game.wasm": "", "public/index.html": "x" });
    expect((await person.run(["init", "--json"], { cwd })).json).toMatchObject({ project: "etoile-2", dir: "public" });
  });

  test("svc init takes the folder that the project's tool writes, and says so", async () => {
    const cwd = join(person.home, "folders", "vite-game");
    mkdirSync(cwd, { recursive: true });
    writeFiles(cwd, { "package.json": '{"devDependencies":{"vite":"8.0.0"}}', "index.html": "", "src/main.ts": "" });
    expect((await person.run(["init"], { cwd })).stdout).toBe(
      "Wrote svc.toml: dist is published as vite-game.\ndist does not exist yet: npm run build writes it.\nNext: svc projects create vite-game, then svc publish\n",
    );
  });

  test("svc init writes it and the other commands follow it", async () => {
    write({ "index.html": "x", "app.js.map": "{}" }, "dist");
    const fresh = `${user.slug}-new`;
    const { code, stdout } = await svc(["init", fresh]);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `Wrote svc.toml: dist is published as ${fresh}.\nNext: svc projects create ${fresh}, then svc publish\n`,
    });
    expect((await svc(["init", fresh, "--json"])).json.error.code).toBe("project_file_exists");
    expect((await svc(["projects", "create"])).stdout).toBe(`Created project ${fresh}.\n`);
    const taken = await svc(["projects", "create", "--json"]);
    expect({ code: taken.code, error: taken.json.error.code }).toEqual({ code: 6, error: "slug_taken" });
    expect(publishResult(await svc(["publish", "--json"]))).toMatchObject({
      event: "published",
      project: fresh,
      files: 2,
    });
    const { projects: listed } = (await svc(["projects", "list", "--json"])).json;
    expect(listed.map((project: { slug: string }) => project.slug)).toContain(fresh);
    expect((await svc(["projects", "list"])).stdout).toContain(fresh);
  });

  test("is read from the current directory and its parents, not from the published folder", async () => {
    write({ "index.html": "x", "svc.toml": `project = "${user.slug}"` });
    expect((await svc(["publish", "game", "--json"])).json.error.code).toBe("no_project");
  });

  test.each([
    ["a path", "../private"],
    ["a link", "link"],
  ])(
    "whose dir leaves its folder by %s is refused, and the folder is published if it is an argument",
    async (_, dir) => {
      write({ "index.html": "private" }, "private");
      mkdirSync(join(person.home, "repository"), { recursive: true });
      if (dir === "link") symlinkSync(join(person.home, "private"), join(person.home, "repository", "link"));
      writeFileSync(join(person.home, "repository", "svc.toml"), `project = "${user.slug}"\ndir = "${dir}"\n`);
      const cwd = join(person.home, "repository");
      for (const args of [
        ["publish", "--json"],
        ["dev", "--json"],
      ])
        expect(publishResult(await svc(args, { cwd }))).toMatchObject({ error: { code: "dir_outside", exit_code: 2 } });
      expect((await svc(["publish", dir, "--json"], { cwd })).code).toBe(0);
    },
  );

  test("is found in a parent folder, and its dir and ignore are relative to that folder", async () => {
    write({ "index.html": "x", "a.map": "" }, "dist");
    writeFileSync(join(person.home, "svc.toml"), `project = "${user.slug}"\ndir = "dist"\nignore = ["*.map"]\n`);
    mkdirSync(join(person.home, "src", "deep"), { recursive: true });
    const { stdout } = await svc(["publish", "--json"], { cwd: join(person.home, "src", "deep") });
    expect(publishResult({ stdout })).toMatchObject({ event: "published", project: user.slug, files: 1 });
  });

  test("in a parent folder is refused if it belongs to another user", async () => {
    if (process.getuid?.() !== 0) return;
    writeFileSync(join(person.home, "svc.toml"), `project = "${user.slug}"`);
    chownSync(join(person.home, "svc.toml"), 12_345, 12_345);
    mkdirSync(join(person.home, "src"));
    const { code, json } = await svc(["releases", "--json"], { cwd: join(person.home, "src") });
    expect({ code, error: json.error.code }).toEqual({ code: 2, error: "project_file_of_another" });
  });

  test("with a token in it is refused", async () => {
    writeFileSync(join(person.home, "svc.toml"), 'token = "x"');
    const { code, json } = await svc(["publish", "--json"]);
    expect({ code, reason: json.error.code }).toEqual({ code: 2, reason: "token_in_project_file" });
  });

  test("without one, and without --project, svc says what to do", async () => {
    const { code, json } = await svc(["releases", "--json"]);
    expect(code).toBe(2);
    expect(json.error).toMatchObject({ code: "no_project", next: "svc init PROJECT, or add --project PROJECT." });
  });
});
