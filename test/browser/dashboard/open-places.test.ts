import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { type CliUser, createCliUser } from "../../support/cli/cli.ts";
import { documents, readDocument } from "../../support/documents.ts";
import { newProject, publish } from "../../support/service/steps.ts";
import { visitor } from "./visitor.ts";

const v = visitor();
let person: CliUser;

beforeEach(() => {
  person = createCliUser();
});
afterEach(() => person.leave());

/** What a person finds at the place of each word: the heading that has the focus or begins the view, and a control there. */
const finds: readonly (readonly [place: string, heading: string | RegExp, control: string | RegExp])[] = [
  ["overview", /^game-/, "Choose a folder"],
  ["releases", /^game-/, "Releases"],
  ["statistics", /^game-/, "Statistics"],
  ["profiles", /^game-/, "Performance"],
  ["history", /^game-/, "Overview"],
  ["settings", /^game-/, "Save"],
  ["members", "Members", "Invite"],
  ["publishers", "CI jobs that may publish", "Add CI jobs"],
  ["delete", "Hand over or delete", "Delete project"],
  ["projects", "Projects", "New project"],
  ["people", "People", "Invite"],
  ["tokens", "Tokens", "New token"],
  ["account", "Account", "Sign out"],
];

test("svc open names every place that this test knows, and the game's own two", async () => {
  const { stdout } = await person.run(["open", "--help"]);
  const [, places = ""] = /^PLACES\n(.*?)\n\n/ms.exec(stdout) ?? [];
  const words = places.split("\n").map((line) => line.trim().split(" ")[0]);
  expect(words.toSorted()).toEqual(["game", "page", ...finds.map(([place]) => place)].toSorted());
});

test("each URL of svc open leads to its thing, whether signed in already or not", async () => {
  const slug = await newProject(v.ada);
  for (const [place, heading, control] of finds) {
    const { code, stdout } = await person.run(["open", place, "-p", slug], { env: { SVC_API: v.service.api } });
    expect({ place, code }).toEqual({ place, code: 0 });
    const url = stdout.trim();
    if (place === "overview") await v.enter(url.slice(v.service.dashboard.length));
    else await v.page.goto(url);
    const found = v.page.getByRole("heading", { name: heading, exact: typeof heading === "string" }).first();
    await found.waitFor();
    await v.page.getByText(control).first().waitFor();
    if (!url.includes("#")) continue;
    await v.page.locator("h2:focus", { hasText: heading }).waitFor();
    const box = await found.boundingBox();
    expect(box?.y).toBeGreaterThanOrEqual(0);
    expect(box?.y).toBeLessThan(700);
  }
  await v.page.goto("about:blank");
  // The provider's session has ended: signing in leads back to the part of the page.
  const other = await v.browser.newContext();
  try {
    const page = await other.newPage();
    await v.enter(`projects/${slug}/settings#publishers`, { page });
    await page.getByRole("heading", { name: "CI jobs that may publish" }).waitFor();
    expect(new URL(page.url()).hash).toBe("#publishers");
  } finally {
    await other.close();
  }
});

/** What documents say is at a place of the dashboard: their words, the place, and what is found there. */
const said: readonly (readonly [document: string, words: string, place: string, found: string])[] = [
  ["README.md", "<http://dashboard.localhost:8787/>", "", "Projects"],
  ["docs/publish-your-game.md", "<http://dashboard.localhost:8787/>", "", "Projects"],
  ["docs/publish-your-game.md", "**Invite**, in the project's **Settings**", "SLUG/settings", "Invite"],
  ["docs/publish-your-game.md", "**People**, on the Projects page", "people", "Invite"],
  ["docs/publish-your-game.md", "user ID of their Account page", "account", "Your user ID"],
  ["docs/publish-your-game.md", "**What happened**, on the project's **Overview**", "SLUG", "What happened"],
  [
    "docs/github-actions.md",
    "**Settings** (`svc open publishers`) press *Add CI jobs*",
    "SLUG/settings",
    "Add CI jobs",
  ],
  ["docs/github-actions.md", "add it on the Projects page", "", "Let CI jobs create a project"],
  [
    "docs/github-actions.md",
    "choose *Take no tokens* in the project's **Settings**",
    "SLUG/settings",
    "Take no tokens",
  ],
  ["docs/github-actions.md", "a second publisher in the project's **Settings**", "SLUG/settings", "Add CI jobs"],
  ["docs/github-actions.md", "the project's **Releases** in the dashboard", "SLUG/releases", "Releases"],
  [
    "docs/github-actions.md",
    "project's **Settings** or with `svc projects edit",
    "SLUG/settings",
    "Show everybody where",
  ],
  ["docs/gitlab.md", "the project's **Settings** press *Add CI jobs*", "SLUG/settings", "Add CI jobs"],
  ["docs/gitlab.md", "*Take no tokens* in the project's **Settings**", "SLUG/settings", "Take no tokens"],
  ["docs/security.md", "(Settings, *A person makes live*;", "SLUG/settings", "A person makes live"],
  ["docs/security.md", "*Take no tokens* (Settings;", "SLUG/settings", "Take no tokens"],
  ["docs/crashes.md", "the project's **Statistics** in the dashboard", "SLUG/statistics", "Statistics"],
  ["docs/statistics.md", "**Statistics** in the dashboard", "SLUG/statistics", "Statistics"],
  ["docs/profiles.md", "**Performance** in the dashboard", "SLUG/profiles", "Performance"],
  ["docs/operations/abuse.md", "downloads it on the dashboard's Account page", "account", "Your data"],
  ["docs/operations/abuse.md", "deletes the account on the dashboard's Account page", "account", "Delete account"],
];

test("documents name no place of svc open that is not there, and no tab of a project that the next test does not open", () => {
  const places = ["PLACE", "page", ...finds.map(([place]) => place)];
  for (const document of documents.filter((path) => !path.startsWith("docs/decisions/"))) {
    const text = readDocument(document);
    const opened = [...text.matchAll(/`svc open ([\w]+)/g)].map(([, place = ""]) => place);
    expect({ document, unknown: opened.filter((place) => !places.includes(place)) }).toEqual({ document, unknown: [] });
    const known = said.filter(([path]) => path === document).map(([, words]) => words);
    const rest = known.reduce((left, words) => left.replaceAll(words, ""), text);
    const tabs = rest.match(/.*project's \*\*(Overview|Releases|Statistics|Performance|Settings)\*\*/g);
    expect({ document, tabs }).toEqual({ document, tabs: null });
  }
});

test("what documents say is at a place of the dashboard is there", async () => {
  const slug = await newProject(v.ada);
  await publish(v.ada, slug, { "index.html": "1" });
  await v.enter();
  for (const [document, words, place, found] of said) {
    expect(readDocument(document).replaceAll(/\s+/g, " ")).toContain(words);
    await v.page.goto(v.service.dashboard + place.replace("SLUG", `projects/${slug}`));
    await v.page.getByText(found).first().waitFor();
  }
});
