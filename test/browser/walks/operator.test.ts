import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "@jest/globals";
import { root } from "../../support/documents.ts";
import { newProject, publish } from "../../support/service/steps.ts";
import { lookAt } from "../dashboard/screens.ts";
import { visitor } from "../dashboard/visitor.ts";

/* A person who runs a stage: their name below every view, and what they do when a game is reported. */

const v = visitor({
  env: { GAMES_STORE_ENDPOINT: undefined, REPORT_URL: "https://example.com/report?game={slug}" },
});

/** Many pictures, each examined, take a busy machine minutes. */
const longest = 300_000;

/** Runs the command as the operator types it, and returns what it prints. Nothing but the port tells it where the service is. */
async function operator(...words: string[]) {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, PORT: new URL(v.service.api).port };
  const typed = ["run", "--silent", "operator", "--", "--stage", "local", "--json", ...words];
  const { stdout } = await promisify(execFile)("npm", typed, { cwd: root, env });
  return JSON.parse(stdout);
}

test(
  "is named below every view, with links to their pages",
  async () => {
    await v.page.goto(v.service.dashboard);
    const operator = { name: "Example Games", terms: "https://example.com/terms", contact: "mailto:svc@example.com" };
    // As if the stage's configuration named an operator, from when the page has it and before its script runs.
    await v.page.addInitScript(`new MutationObserver((_, observer) => {
      const data = document.getElementById("configuration");
      if (!data?.textContent) return;
      observer.disconnect();
      const changed = document.createElement("div");
      changed.id = data.id;
      changed.textContent = JSON.stringify({ ...JSON.parse(data.textContent), operator: ${JSON.stringify(operator)} });
      data.replaceWith(changed);
    }).observe(document, { childList: true, subtree: true })`);
    const footer = v.page.getByRole("contentinfo");
    const links = () =>
      footer.getByRole("link").evaluateAll((all) => all.map((one) => [one.textContent, one.getAttribute("href")]));
    const expected = [
      ["Terms", "https://example.com/terms"],
      ["Contact", "mailto:svc@example.com"],
    ];
    await v.page.goto(v.service.dashboard);
    await footer.getByText("Example Games").waitFor();
    expect(await links()).toEqual(expected);
    expect(await lookAt(v.page, "welcome-operator")).toEqual([]);
    await v.enter();
    expect(await links()).toEqual(expected);
    expect(await lookAt(v.page, "operator")).toEqual([]);
  },
  longest,
);

test("reads a report, suspends the game, gives it back, and suspends the account behind it", async () => {
  const { page, context, service } = v;
  const slug = await newProject(v.ada);
  await publish(v.ada, slug, { "index.html": "<!doctype html><h1>Reported game</h1>" });
  const url = `http://${slug}.${service.gamesDomain}/`;
  const player = await context.newPage();
  await player.goto(`${url}.well-known/svc/about`);
  const link = player.getByRole("link", { name: "Report this game" });
  expect(await link.getAttribute("href")).toBe(`https://example.com/report?game=${slug}`);
  const plays = async (heading: string) => {
    await player.goto(url);
    await player.getByRole("heading", { name: heading }).waitFor();
  };
  await plays("Reported game");

  expect(await operator("show", "project", url)).toMatchObject({ slug, owner: { uid: v.ada.uid } });
  expect(await operator("suspend", "project", url, "--reason", "phishing")).toMatchObject({ edge: "updated" });
  await plays("This game is closed");
  await v.enter();
  await page.getByRole("listitem").filter({ hasText: slug }).getByText("Suspended", { exact: true }).waitFor();
  await page.getByRole("link", { name: slug, exact: true }).click();
  await page.getByText(/The operator suspended this project .*: phishing\./).waitFor();
  expect(await page.getByRole("link", { name: "Play" }).count()).toBe(0);
  expect(await operator("restore", "project", slug)).toMatchObject({ edge: "updated" });
  await plays("Reported game");

  const shown = await operator("suspend", "account", v.ada.uid, "--reason", "spam");
  expect(shown).toMatchObject({ uid: v.ada.uid, suspension: { reason: "spam" } });
  await plays("This game is closed");
  await page.goto(service.dashboard);

  await page.getByText("The operator has suspended your account").waitFor();
  await operator("restore", "account", v.ada.uid);
  await page.reload();
  await page.getByRole("link", { name: slug, exact: true }).waitFor();
});

test(
  "takes a game down for good: its owner reads that, has a link to the operator, and no Restore",
  async () => {
    const slug = await newProject(v.ada);
    await operator("takedown", slug, "--reason", "malware", "--without-games");
    await v.enter(`projects/${slug}`);
    await v.page.getByText("This project is closed.").waitFor();
    await v.page.getByText("The operator closed this project").waitFor();
    const link = v.page.getByRole("link", { name: "Ask the operator" });
    expect(await link.getAttribute("href")).toBe(`https://example.com/report?game=${slug}`);
    expect(
      await v.page
        .getByText("You have deleted")
        .or(v.button(/^Restore/))
        .count(),
    ).toBe(0);
    expect(await lookAt(v.page, "closed-project")).toEqual([]);
  },
  longest,
);
