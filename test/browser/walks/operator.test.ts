import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "@jest/globals";
import { root } from "../../support/documents.ts";
import { newProject, publish } from "../../support/service/steps.ts";
import { keepLooks, lookAt } from "../dashboard/screens.ts";
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
    await v.enter();
    expect(await links()).toEqual(expected);
    expect(await lookAt(v.page, "operator")).toEqual([]);
  },
  longest,
);

test(
  "reads a report, suspends the game and the account behind it, takes the game down, and ends that within a week",
  async () => {
    const { page, context, service } = v;
    const slug = await newProject(v.ada);
    await publish(v.ada, slug, { "index.html": "<!doctype html><h1>Reported game</h1>" });
    const url = `http://${slug}.${service.gamesDomain}/`;
    const player = await context.newPage();
    await player.goto(`${url}.well-known/svc/about`);
    const link = player.getByRole("link", { name: "Report this game" });
    expect(await link.getAttribute("href")).toBe(`https://example.com/report?game=${slug}`);
    await keepLooks(player, "walk-operator-1-about");
    const plays = async (heading: string) => {
      await player.goto(url);
      await player.getByRole("heading", { name: heading }).waitFor();
    };
    await plays("Reported game");

    expect(await operator("show", "project", url)).toMatchObject({ slug, owner: { uid: v.ada.uid } });
    expect(await operator("suspend", "project", url, "--reason", "phishing")).toMatchObject({ edge: "updated" });
    await plays("This game is closed");
    await keepLooks(player, "walk-operator-2-players");
    await v.enter();
    await page.getByRole("listitem").filter({ hasText: slug }).getByText("Suspended", { exact: true }).waitFor();
    await keepLooks(page, "walk-operator-3-owners-list");
    await page.getByRole("link", { name: slug, exact: true }).click();
    await page.getByText(/The operator suspended this project .*: phishing\./).waitFor();
    expect(await page.getByRole("link", { name: "Play" }).count()).toBe(0);
    await keepLooks(page, "walk-operator-4-suspended");
    expect(await operator("restore", "project", slug)).toMatchObject({ edge: "updated" });
    await plays("Reported game");

    const shown = await operator("suspend", "account", v.ada.uid, "--reason", "spam");
    expect(shown).toMatchObject({ uid: v.ada.uid, suspension: { reason: "spam" } });
    await plays("This game is closed");
    await page.goto(service.dashboard);
    await page.getByText("The operator has suspended your account").waitFor();
    await keepLooks(page, "walk-operator-5-account");
    await v.button("Sign out").click();
    await v.button("Sign in").waitFor();
    await operator("restore", "account", v.ada.uid);

    // Its owner reads that it is closed, has a link to the operator, and no Restore.
    expect(await operator("takedown", slug, "--reason", "malware")).toMatchObject({ edge: "updated" });
    await plays("This game is closed");
    await v.enter(`projects/${slug}`);
    await page.getByText("This project is closed.").waitFor();
    await page.getByText("The operator closed this project").waitFor();
    const ask = page.getByRole("link", { name: "Ask the operator" });
    expect(await ask.getAttribute("href")).toBe(`https://example.com/report?game=${slug}`);
    const restore = v.button(/^Restore/);
    expect(await page.getByText("You have deleted").or(restore).count()).toBe(0);
    expect(await lookAt(page, "closed-project")).toEqual([]);
    await keepLooks(page, "walk-operator-6-closed");

    // The operator was wrong. What was taken down comes back only once its owner wants it.
    await operator("restore", "project", slug);
    await plays("No game here");
    await page.reload();
    await restore.waitFor();
    await keepLooks(page, "walk-operator-7-restorable");
    await restore.click();
    await page.getByRole("region", { name: "Live release" }).waitFor();
    await plays("Reported game");
  },
  longest,
);
