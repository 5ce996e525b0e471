import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { commandIds } from "../support/cli/cli.ts";
import { useCliUser } from "../support/service/suite.ts";

const person = useCliUser();

describe("completion", () => {
  /** What bash offers for the last word of a command line. */
  function completeInBash(script: string, ...words: string[]): string[] {
    const setup = `${script}\nCOMP_WORDS=(svc "$@"); COMP_CWORD=$#; _svc; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, status, stderr } = spawnSync("bash", ["-c", setup, "bash", ...words], {
      encoding: "utf8",
      cwd: person.home,
    });
    if (status !== 0) throw new Error(stderr);
    return stdout.trim().split("\n");
  }

  test("bash completes commands, flags and values", async () => {
    const { stdout } = await person.run(["completion", "bash"]);
    expect(completeInBash(stdout, "")).toEqual(expect.arrayContaining(commandIds.map((id) => id.split(":")[0])));
    expect(completeInBash(stdout, "who")).toEqual(["whoami"]);
    expect(completeInBash(stdout, "login", "--")).toEqual([
      "--token",
      "--device",
      "--no-verify",
      "--api",
      "--directory",
      "--json",
      "--quiet",
      "--verbose",
      "--help",
    ]);
    expect(completeInBash(stdout, "completion", "")).toEqual(["bash", "zsh", "fish"]);
    expect(completeInBash(stdout, "projects", "li")).toEqual(["list"]);
    expect(completeInBash(stdout, "help", "who")).toEqual(["whoami"]);
    expect(completeInBash(stdout, "help", "projects", "")).toEqual(completeInBash(stdout, "projects", ""));
    mkdirSync(join(person.home, "dist"));
    expect(completeInBash(stdout, "publish", "di")).toEqual(["dist"]);
  });

  test("bash completes a folder with a space in its name, and projects", async () => {
    const script = (await person.run(["completion", "bash"])).stdout;
    for (const name of ["sp ace", "spot"]) mkdirSync(join(person.home, name));
    expect(completeInBash(script, "publish", "sp").sort()).toEqual(["sp ace", "spot"]);
    expect(completeInBash(script, "init", "--dir", "sp").sort()).toEqual(["sp ace", "spot"]);
    const list = JSON.stringify({ projects: [{ slug: "space-war" }, { slug: "chess" }] }, null, 2);
    const withProjects = `${script}\nsvc() { [[ "$*" == "projects list --json" ]] && cat <<'END'\n${list}\nEND\n}`;
    for (const flag of ["--project", "-p"]) {
      expect(completeInBash(withProjects, "publish", flag, "").sort()).toEqual(["chess", "space-war"]);
      expect(completeInBash(withProjects, "publish", flag, "sp")).toEqual(["space-war"]);
    }
    expect(completeInBash(script, "publish", "--message", "")).toEqual([""]);
  });

  test("bash completes releases, and no other ids of the list", async () => {
    const script = (await person.run(["completion", "bash"])).stdout;
    const by = { uid: "ada", token: { id: "token1", name: "ci" } };
    const releases = ["0Vx3mGk8cW2bT7qLr9Zs4A", "1Ax3mGk8cW2bT7qLr9Zs4B"].map((id) => ({ id, published_by: by }));
    const list = JSON.stringify({ project: "game", releases }, null, 2);
    const withReleases = `${script}\nsvc() { [[ "$*" == "releases --json" ]] && cat <<'END'\n${list}\nEND\n}`;
    const ids = releases.map(({ id }) => id);
    for (const words of [
      ["rollback"],
      ["promote"],
      ["withdraw"],
      ["publish", "--expect-current"],
      ["previews", "--end"],
    ])
      expect(completeInBash(withReleases, ...words, "")).toEqual(ids);
    expect(completeInBash(withReleases, "rollback", "1A")).toEqual([ids[1]]);
    expect(completeInBash(withReleases, "rollback", "--expect")).toEqual(["--expect-current"]);
  });

  const has = (shell: string) => spawnSync(shell, ["--version"]).status === 0;
  for (const shell of ["zsh", "fish"])
    (has(shell) ? test : test.skip)(`${shell} accepts its script`, async () => {
      const { stdout } = await person.run(["completion", shell]);
      const file = join(person.home, "completion");
      writeFileSync(file, stdout);
      expect(spawnSync(shell, ["-n", file], { encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" });
    });

  test.each(["zsh", "fish"])("the %s script names every command", async (shell) => {
    const { json } = await person.run(["completion", shell, "--json"]);
    for (const id of commandIds) expect(json.script).toContain(id.replaceAll(":", " "));
  });
});
