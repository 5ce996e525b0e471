import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "@jest/globals";
import { writeFiles } from "../../support/cli/cli.ts";
import { hasTerminal, onPseudoTerminal, plainText, replying, type TerminalRun } from "../../support/cli/terminal.ts";
import { usePublishingUser } from "../../support/service/publishing-user.ts";
import { newSlug } from "../../support/service/steps.ts";

/*
 * The way of somebody who has never used svc, on a terminal of 80 columns: from README's commands over what a tool writes to a dozen
 * mistakes. What was on the screen is kept for people to look at.
 */

const user = usePublishingUser();
const { service, person } = user;
const columns = 80;
const seen: string[] = [];
const transcript = fileURLToPath(new URL("../../../build/screenshots/newcomer.txt", import.meta.url));

afterAll(() => {
  mkdirSync(dirname(transcript), { recursive: true });
  writeFileSync(transcript, seen.join("\n"));
});

/** Runs svc as the person types it, and checks what every screen must keep. */
async function type(args: string, run: TerminalRun = {}): Promise<{ code: number | null; text: string }> {
  const env = { SVC_API: service.api, SVC_TOKEN: user.token.credential, ...run.env };
  const { code, shown } = await onPseudoTerminal(person, args, { ...run, columns, env });
  const text = plainText(shown).replaceAll("\r", "");
  seen.push(`$ svc ${args}`, text);
  const long = text.split("\n").filter((line) => line.trimEnd().length > columns && !/^\s*https?:\S+$/.test(line));
  expect({ args, long, stack: /^ {4}at /m.test(text), bug: text.includes("svc has a bug") }).toEqual({
    ...{ args, long: [], stack: false, bug: false },
  });
  if (code !== 0) expect(text).toMatch(/^error: /m);
  return { code, text };
}

const game = "<!doctype html><title>Game</title><h1>Game</h1>";
const withTool = (name: string) => JSON.stringify({ devDependencies: { [name]: "1.0.0" } });

(hasTerminal ? describe : describe.skip)("a newcomer on a terminal of 80 columns", () => {
  test("goes the way of README: init, create, publish, look, change, roll back", async () => {
    const slug = newSlug();
    writeFiles(join(person.home, slug), { "dist/index.html": game });
    const there = `-C ${slug}`;
    expect((await type("")).text).toContain("GET STARTED");
    for (const [args, text] of [
      ["whoami", "developer"],
      [`init ${slug} --dir dist ${there}`, `Wrote svc.toml: dist is published as ${slug}.`],
      [`projects create ${there}`, `Created project ${slug}.`],
      [`publish --dry-run ${there}`, "This was a dry run: nothing was changed."],
      [`publish ${there}`, `as release #1 of ${slug}:`],
    ] as const)
      expect(await type(args)).toMatchObject({ code: 0, text: expect.stringContaining(text) });
    writeFiles(join(person.home, slug), { "dist/index.html": game.replaceAll("Game", "Better") });
    for (const [args, text, run] of [
      [`publish -m Better ${there}`, `as release #2 of ${slug}:`, {}],
      [`releases ${there}`, "#2       live", {}],
      [`open ${there}`, `http://${slug}.`, {}],
      [`open tokens ${there}`, "/tokens", {}],
      [`rollback ${there}`, `Release #1 of ${slug} is live again.`, replying("y\r")],
      [`offline ${there}`, `No release of ${slug} is live.`, replying("y\r")],
    ] as const)
      expect(await type(args, run)).toMatchObject({ code: 0, text: expect.stringContaining(text) });
  });

  test("publishes what Godot exported with one command and two replies", async () => {
    const slug = newSlug();
    const preset = '[preset.0]\nplatform="Web"\nexport_path="export/web/index.html"\n';
    const files = { "project.godot": "", "export_presets.cfg": preset, "export/web/index.html": game };
    writeFiles(join(person.home, slug), files);
    const { code, text } = await type(`publish -C ${slug}`, replying("\r", "y\r"));
    expect({ code, text }).toMatchObject({ code: 0, text: expect.stringContaining(`as release #1 of ${slug}:`) });
    expect(text).toContain(`Wrote svc.toml: export/web is published as ${slug}.`);
  });

  test("reads after each of a dozen mistakes what to do", async () => {
    writeFiles(person.home, {
      "game/index.html": game,
      "empty/readme.txt": "",
      "source/package.json": withTool("vite"),
      "source/index.html": '<script type="module" src="/src/main.ts"></script>',
      "source/src/main.ts": "",
      "bad/svc.toml": 'project = "my-game"\ndri = "dist"\n',
      "secret/svc.toml": `token = "${user.token.credential}"\n`,
    });
    const { slug } = user;
    const mistakes: readonly (readonly [args: string, code: number, text: string, run?: TerminalRun])[] = [
      ["deploy game", 2, "Did you mean svc publish game?"],
      [`publish game ${slug}`, 2, "Did you mean svc publish game --project"],
      ["publish game -p My_Game", 2, "My_Game cannot be an address: 3 to 40 of a-z, 0-9 and -."],
      [`publish game -p ${slug}x`, 1, `Did you mean ${slug}?`],
      [`publish nowhere -p ${slug}`, 1, "nowhere"],
      [`publish empty -p ${slug}`, 1, "index.html"],
      ["publish -C bad", 2, "Did you mean dir?"],
      ["publish -C secret", 2, "svc.toml"],
      [`rollback -p ${slug}`, 1, "No release of"],
      [`open -p ${slug}`, 1, "is live."],
      [`whoami`, 4, "SVC_TOKEN is set but empty", { env: { SVC_TOKEN: "" } }],
      [`whoami`, 4, "is not a personal access token", { env: { SVC_TOKEN: "ghp_abc" } }],
    ];
    // Side by side, because each waits for its own program.
    const typed = await Promise.all(mistakes.map(async ([args, , , run]) => await type(args, run)));
    for (const [index, [args, code, text]] of mistakes.entries()) {
      expect({ args, code: typed[index]?.code }).toEqual({ args, code });
      expect(typed[index]?.text.replace(/\s+/g, " ")).toContain(text);
    }
    const withoutNext = mistakes.filter((_, index) => !/^ {2}next: /m.test(typed[index]?.text ?? ""));
    expect(withoutNext.map(([args]) => args)).toEqual([]);
  });
});
