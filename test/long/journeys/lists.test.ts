import { describe, expect, test } from "@jest/globals";
import { keys } from "../../../functions/table/keys.ts";
import { publishResult } from "../../support/cli/cli.ts";
import { hasTerminal, onPseudoTerminal, plainText, type TerminalRun } from "../../support/cli/terminal.ts";
import { usePublishingUser } from "../../support/service/publishing-user.ts";
import { setAttribute } from "../../support/table/stored.ts";

const user = usePublishingUser();
const { service, person, svc, publish, write } = user;

const minute = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d`;

const onTerminal = (args: string, run: TerminalRun = {}) =>
  onPseudoTerminal(person, args, {
    ...run,
    env: { SVC_API: service.api, SVC_TOKEN: user.token.credential, ...run.env },
  });

/** Publishes a version of the game, and returns its release. */
async function version(content: string, ...flags: string[]): Promise<string> {
  write({ "index.html": content });
  return publishResult(await publish(...flags)).release;
}

(hasTerminal ? describe : describe.skip)("on a terminal of 80 columns", () => {
  test("svc releases has headings, no line is longer, and it says since when and by whom each was live", async () => {
    const first = await version(
      "one",
      "--message",
      "The first one, with a message that does not fit at all ".repeat(3),
    );
    await version("two", "--message", "Second");
    await user.developer.post(`/projects/${user.slug}/releases/${first}/publish`);
    const { code, shown } = await onTerminal(`releases -p ${user.slug}`);
    const lines = plainText(shown).trimEnd().split("\n");
    expect(code).toBe(0);
    expect(lines[0]).toBe("RELEASE  STATUS   FIRST LIVE (UTC)  SIZE  MESSAGE");
    expect(lines[1]).toMatch(new RegExp(`^#2       earlier  ${minute}  3 B   Second$`));
    expect(lines[2]).toBe(`  1 file, by token "a token"`);
    expect(lines[3]).toMatch(new RegExp(`^#1       live     ${minute}  3 B   The first.*…$`));
    expect(lines[4]).toMatch(new RegExp(`^  1 file, by token "a token", live since ${minute} by Ada Lovelace$`));
    expect(lines).toHaveLength(5);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
  });

  test("svc projects list has headings, and names a deleted project that can be restored", async () => {
    await version("one");
    const gone = `gone-${user.slug}`.slice(0, 40).replace(/-+$/, "");
    await user.developer.post("/projects", { slug: gone, name: "A long name ".repeat(6).trim() });
    const before = plainText((await onTerminal("projects list")).shown).split("\n");
    expect(before[0]).toMatch(/^PROJECT +ROLE +LIVE SINCE \(UTC\) +STORED +NAME$/);
    const line = before.findIndex((text) => text.startsWith(`${user.slug} `));
    expect(before[line]).toMatch(new RegExp(` ${minute}  `));
    expect(before[line + 1]).toBe(`  http://${user.slug}.${service.gamesDomain}/`);
    expect(before.find((text) => text.startsWith(gone))).toMatch(/ not live .*…$/);
    for (const text of before) expect(text.length).toBeLessThanOrEqual(80);

    await user.developer.delete(`/projects/${gone}`);
    const { stdout } = await svc(["projects", "list"]);
    const said = new RegExp(`${gone} was deleted; you can restore it in the dashboard until ${minute} UTC\\.`);
    expect(stdout).toMatch(new RegExp(`^${said.source}$`, "m"));
    const opened = await svc(["open", "-p", gone]);
    expect({ code: opened.code, stderr: opened.stderr }).toEqual({ code: 1, stderr: expect.stringMatching(said) });
    const published = await svc(["publish", "game", "-p", gone]);
    expect(published.stderr).toMatch(/^error: This project is deleted\.\n.*\n {2}next: svc projects list /);
    const eightDaysAgo = new Date(Date.now() - 8 * 86_400_000).toISOString();
    await setAttribute(service, keys.project(gone), "deletedAt", eightDaysAgo);
    expect((await svc(["projects", "list"])).stdout).not.toContain(gone);
  });

  test("a long error is broken between words, and whole in a pipe", async () => {
    await version("one");
    const { shown } = await onTerminal(`rollback -p ${user.slug}`, { columns: 60 });
    const lines = plainText(shown).trimEnd().split("\n");
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(60);
    expect(lines.slice(0, 2).join(" ")).toBe(`error: Release #1 of ${user.slug} is live, and none was live before it.`);
    expect(lines.slice(-3)).toEqual([
      "  no_earlier_release",
      "  next: svc publish makes another one live; svc offline",
      "  takes the game offline.",
    ]);
    expect((await svc(["rollback", "-p", user.slug])).stderr).toContain("svc offline takes the game offline.\n");
  });

  test("svc releases cuts nothing if the terminal does not know its width", async () => {
    await version("one", "--message", "A message of forty characters or somewhat more ".repeat(2).trim());
    const { shown } = await onTerminal(`releases -p ${user.slug}`, { columns: 0 });
    expect(plainText(shown)).toMatch(/^#1 +live .* somewhat more$/m);
  });

  test("svc rollback says which release it goes to and asks; everything but yes changes nothing", async () => {
    const first = await version("one", "--message", "Good");
    const second = await version("two", "--message", "Bad");
    const live = async () => (await user.developer.get(`/projects/${user.slug}`)).body.current_release.id;
    const roll = (typed: string) => onTerminal(`rollback -p ${user.slug}`, { typed, typeAfter: "[y/N]" });
    const question = new RegExp(
      `^Roll back ${user.slug} from #2 \\(first live ${minute} UTC, Bad\\) to #1 \\(first live ${minute} UTC, Good\\)\\? \\[y/N\\] `,
    );
    const kept = await roll("\r");
    expect(plainText(kept.shown).replaceAll("\r", "").replaceAll("\n", " ")).toMatch(question);
    expect({ code: kept.code, live: await live() }).toEqual({ code: 0, live: second });
    expect(kept.shown).toContain("Nothing was changed.");
    const stopped = await roll("\u0003");
    expect({ code: stopped.code, live: await live() }).toEqual({ code: 130, live: second });
    expect((await roll("y\r")).shown).toContain(`Release #1 of ${user.slug} is live again`);
    expect(await live()).toBe(first);
  });
});

test("svc projects list says since when a project is suspended, in place of its URL", async () => {
  await version("one");
  const suspension = { at: new Date().toISOString(), reason: "illegal_content" };
  await setAttribute(service, keys.project(user.slug), "suspension", suspension);
  const { stdout } = await svc(["projects", "list"]);
  expect(stdout).toMatch(new RegExp(`^${user.slug} .*\\n +suspended since ${minute}$`, "m"));
});

test("svc releases shows a withdrawn release, and svc rollback and svc publish refuse it", async () => {
  const first = await version("one");
  const bad = await version("bad");
  await version("good");
  expect((await user.developer.post(`/projects/${user.slug}/releases/${bad}/withdraw`)).status).toBe(200);
  expect((await svc(["releases", "-p", user.slug])).stdout).toMatch(
    new RegExp(`^#2       deleted .*\n  1 file, by token "a token", deleted ${minute}$`, "m"),
  );
  for (const args of [
    ["rollback", bad],
    ["rollback", "#2"],
    ["publish", "game"],
  ]) {
    write({ "index.html": "bad" });
    const { code: exit, stderr } = await svc([...args, "-p", user.slug]);
    expect({ args, exit, stderr }).toEqual({
      args,
      exit: 6,
      stderr: expect.stringMatching(/^error: .*was (withdrawn|deleted)/m),
    });
  }
  const expecting = await svc(["rollback", "-p", user.slug, "--expect-current", first, "--json"]);
  expect(expecting.json.error).toMatchObject({ code: "current_release_changed", exit_code: 6 });
  expect((await svc(["rollback", "-p", user.slug, "--json"])).json.release.id).toBe(first);
});

test("svc rollback in a pipe asks nothing, and says which release it goes to, also one that is named by its number", async () => {
  const first = await version("one");
  await version("two");
  const { code, stdout } = await svc(["rollback", "-p", user.slug]);
  expect(code).toBe(0);
  expect(stdout).toMatch(new RegExp(`^Rolling back ${user.slug} from #2 \\(first live .* UTC\\) to #1 \\(first live `));
  const named = await svc(["rollback", "#1", "-p", user.slug, "--json"]);
  expect(named.json.release).toMatchObject({ id: first, number: 1 });
});

test("an unpublished project is not called unpublished before: no release is live, and one can be again", async () => {
  const first = await version("one");
  await user.developer.post(`/projects/${user.slug}/unpublish`);
  const { code, stderr } = await svc(["open", "-p", user.slug]);
  expect(code).toBe(1);
  expect(stderr).toContain(`error: No release of ${user.slug} is live.`);
  expect(stderr).toContain("svc live RELEASE");
  expect((await svc(["projects", "list"])).stdout).toMatch(new RegExp(`^${user.slug} +owner +not live `, "m"));
  expect((await svc(["rollback", "-p", user.slug, "--json"])).json.release.id).toBe(first);
});
