import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { Locator } from "playwright-core";
import { eventually } from "../../support/eventually.ts";
import { play } from "../../support/service/play.ts";
import { visitor } from "../dashboard/visitor.ts";

/*
 * A person at a terminal, whose work the dashboard shows. What it gives to copy works as it stands, in a shell in which nothing is installed or
 * set.
 */

const v = visitor();
let home: string;

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), "svc-shell-"));
  mkdirSync(join(home, "game"));
  writeFileSync(join(home, "game", "index.html"), "<!doctype html><h1>Copied</h1>");
  await v.context.grantPermissions(["clipboard-read", "clipboard-write"]);
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Presses each Copy button whose name matches, and returns what is on the clipboard each time. */
async function copied(name: RegExp, within: Pick<Locator, "getByRole"> = v.page): Promise<string[]> {
  const texts: string[] = [];
  const buttons = within.getByRole("button", { name });
  await buttons.first().waitFor();
  for (const button of await buttons.all()) {
    await button.press("Enter");
    while (!(await button.textContent())?.startsWith("Copied")) await v.page.waitForTimeout(20);
    texts.push(String(await v.page.evaluate("navigator.clipboard.readText()")));
  }
  return texts;
}

interface Shell {
  /** Environment variables that the person sets, beside those of every new shell. */
  readonly env?: Readonly<Record<string, string>>;
  /** Typed where svc asks for a token, or whether it shall. */
  readonly typed?: string;
  /** Hears what it prints while it runs. */
  readonly onPrinted?: (printed: string) => void;
}

const asksFor = /Token for|\[y\/N\]/;

/** Runs lines on the terminal of a person without svc, whose npm installs into their home. */
async function shell(lines: readonly string[], { env = {}, typed, onPrinted }: Shell = {}) {
  const path = `${home}/npm/bin:${dirname(process.execPath)}:/usr/bin:/bin`;
  const child = spawn("script", ["--quiet", "--return", "--command", lines.join(" && "), "/dev/null"], {
    cwd: join(home, "game"),
    env: { PATH: path, HOME: home, TERM: "xterm", NPM_CONFIG_PREFIX: `${home}/npm`, BROWSER: "/bin/true", ...env },
  });
  let printed = "";
  let left = typed;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
    onPrinted?.(printed);
    if (left === undefined || !asksFor.test(printed)) return;
    child.stdin.write(`${left}\n`);
    left = undefined;
  });
  const [code] = await once(child, "close");
  return { code, printed };
}

/** Approves the login whose URL a shell has printed. */
function approveInBrowser() {
  let isApproved = false;
  return (printed: string) => {
    const url = /https?:\/\/\S+\/authorize\?\S+(?=\r?\n)/.exec(printed)?.[0];
    if (url === undefined || isApproved) return;
    isApproved = true;
    void v.context.newPage().then(async (page) => {
      await page.goto(url);
      await page.getByRole("button", { name: "Approve", disabled: false }).click();
    });
  };
}

test("installs, signs in, takes a name and publishes by what is copied; then releases, goes back, goes offline and opens the game", async () => {
  const { page } = v;
  await v.enter();
  await page.getByText("From a terminal instead").click();
  const commands = await copied(/^(Copy|Copied) the command/);
  expect(commands).toHaveLength(4);
  const first = await shell(commands, { onPrinted: approveInBrowser() });
  expect(first).toEqual({ code: 0, printed: expect.stringContaining("Published") });
  const slug = /--project (\S+)/.exec(commands.at(-1) ?? "")?.[1] ?? "";
  const url = `http://${slug}.${v.service.gamesDomain}/`;
  const played = async () => (await play(v.service, slug)).body.toString();
  expect(await played()).toContain("Copied");
  // Somebody else is given another name.
  await page.reload();
  await page.getByRole("link", { name: slug, exact: true }).click();
  const live = page.getByRole("region", { name: "Live release" });
  await live.getByRole("heading", { name: "#1" }).waitFor();

  const svc = async (words: string, run: Shell = {}) => {
    const { code, printed } = await shell([`svc ${words} --project ${slug}`], run);
    expect({ code, printed }).toEqual({ code: 0, printed: expect.any(String) });
    await page.reload();
    return printed;
  };
  writeFileSync(join(home, "game", "index.html"), "<!doctype html><h1>Second</h1>");
  expect(await svc("publish --message 'A second level'")).toContain("svc rollback");
  await live.getByRole("heading", { name: "#2 A second level" }).waitFor();
  await page.getByText(/Ada Lovelace published #2 A second level/).waitFor();
  expect(await svc("live 1")).toContain(`is live again`);
  await live.getByRole("heading", { name: "#1" }).waitFor();
  expect(await played()).toContain("Copied");
  await svc("offline", { typed: "y" });
  await page.locator(".project-header").getByText("Not live", { exact: true }).waitFor();
  expect((await play(v.service, slug)).status).toBe(404);
  await svc("live 2");
  await live.getByRole("heading", { name: "#2 A second level" }).waitFor();
  // A browser that notes what it is to show.
  writeFileSync(join(home, "browser"), `#!/bin/sh\necho "$1" > ${home}/shown\n`, { mode: 0o755 });
  await svc("open", { env: { DISPLAY: ":0", BROWSER: join(home, "browser") } });
  // The page that was loaded again is at the identity provider and back.
  await live.getByRole("heading", { name: "#2 A second level" }).waitFor();
  await eventually(() => expect(readFileSync(join(home, "shown"), "utf8").trim()).toBe(url));
  await page.goto(url);
  await page.getByRole("heading", { name: "Second" }).waitFor();
  expect((await shell(["svc logout --revoke"])).code).toBe(0);
  await v.ada.get("/tokens").then(({ body }) => expect(body.tokens).toMatchObject([{ status: "revoked" }]));
});

test("an empty project and an account without tokens give lines that work too", async () => {
  await v.ada.post("/projects", { slug: "empty-game" });
  await v.enter("projects/empty-game");
  await v.page.getByText("From a terminal instead").click();
  const publishing = await copied(/^(Copy|Copied) the command/);
  const published = await shell(publishing, { onPrinted: approveInBrowser() });
  expect(published).toEqual({ code: 0, printed: expect.stringContaining("Published") });
  await v.ada.delete("/tokens");
});

test("a new token works on a machine and in CI by what is given beside it", async () => {
  await v.enter("tokens");
  await v.button("New token").click();
  await v.page.getByRole("textbox", { name: "Name" }).fill("copied");
  await v.button("Create token").click();
  const [token = ""] = await copied(/^(Copy|Copied) the token$/);
  // Behind the dialog are the first steps of an account without active tokens.
  const machine = await copied(/^(Copy|Copied) the command/, v.page.getByRole("dialog"));
  const there = await shell([...machine, "svc whoami"], { typed: token });
  expect(there).toEqual({ code: 0, printed: expect.stringContaining("Ada Lovelace") });
  await v.page.getByText("In CI").click();
  const variable = await copied(/^(Copy|Copied) the variable/);
  rmSync(join(home, ".config"), { recursive: true });
  const inCi = await shell([...variable, "svc whoami"], { env: { SVC_TOKEN: token } });
  expect(inCi).toEqual({ code: 0, printed: expect.stringContaining("Ada Lovelace") });
});
