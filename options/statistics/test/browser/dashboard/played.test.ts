import { beforeEach, describe, expect, test } from "@jest/globals";
import { keys } from "../../../../../functions/table/keys.ts";
import { readProject } from "../../../../../functions/table/projects/project-items.ts";
import { setTrafficLimit } from "../../../../../functions/table/projects/traffic-limit-items.ts";
import { lookAt } from "../../../../../test/browser/dashboard/screens.ts";
import { visitor } from "../../../../../test/browser/dashboard/visitor.ts";
import { functionEnvironment } from "../../../../../test/support/service/function-environment.ts";
import { type Owner, withProject } from "../../../../../test/support/service/operations.ts";
import { publish } from "../../../../../test/support/service/steps.ts";
import { setAttribute } from "../../../../../test/support/table/stored.ts";
import { storePlays, storeTraffic, storeTwoPlayedReleases } from "../../support/stored-plays.ts";

/*
 * Counted plays on the dashboard. How they are counted is in statistics.test.ts.
 */

const limits = { TRAFFIC_BYTES_PER_PROJECT: "10737418240", TRAFFIC_BYTES_PER_ACCOUNT: "42949672960" };
const v = visitor({ env: { GAMES_STORE_ENDPOINT: undefined, SVC_STATISTICS_SECONDS: "0", ...limits } });

let ada: Owner;
beforeEach(async () => {
  Object.assign(process.env, functionEnvironment(v.service));
  ada = await withProject(v.ada);
});

test("the list of projects has the plays of the last 30 days, beside those that were played", async () => {
  await v.ada.post("/projects", { slug: "unplayed" });
  await storeTraffic(ada.slug, 1, 1_234);
  await v.enter();
  const row = (slug: string) => v.page.getByRole("listitem").filter({ hasText: slug });
  await row(ada.slug).getByText("1,234 plays in 30 days", { exact: true }).waitFor();
  expect(await row("unplayed").getByText("plays").count()).toBe(0);
  expect(await lookAt(v.page, "projects-played", row(ada.slug))).toEqual([]);
});

/** The cells of a table's rows, with their headings. */
const rowsOf = (table: string) =>
  v.page.getByRole("table", { name: table, exact: true }).locator("tbody tr").allInnerTexts();
const refuse = (path: string) =>
  v.page.route(`${v.service.api}/projects/${path}`, (route) =>
    route.fulfill({ status: 503, json: { code: "temporarily_unavailable", detail: "Not now." } }),
  );

test("a project's page has the numbers of seven days beside those of the seven before, and what fails most", async () => {
  await publish(ada, ada.slug, { "index.html": "One" });
  const day = (before: number) => new Date(Date.now() - before * 86_400_000).toISOString().slice(0, 10);
  await setAttribute(
    v.service,
    keys.project(ada.slug),
    "createdAt",
    new Date(Date.now() - 30 * 86_400_000).toISOString(),
  );
  const failing = [{ path: "/art/logo.png", status: "404", requests: 2 }];
  await storePlays(ada.slug, { day: day(1), firstPlays: 60, repeatedPlays: 30, errors: { "404": 2 }, failing });
  await storePlays(ada.slug, { day: day(8), firstPlays: 40, repeatedPlays: 20, errors: {}, failing: [] });
  await v.enter(`projects/${ada.slug}`);
  const numbers = v.page.getByRole("region", { name: "Last 7 days" });
  await numbers.getByText("90", { exact: true }).waitFor();
  expect(await numbers.locator(".number").allInnerTexts()).toEqual([
    "Plays, 7 days\n90\n+50 %",
    "New players\n60\n+50 %",
    "Sent to players\n2 KiB",
    "Errors\n2\nlogo.png",
  ]);
  expect(await lookAt(v.page, "overview-numbers", numbers)).toEqual([]);
});

describe("the dialog of Make live", () => {
  const dialog = () => v.page.getByRole("dialog");
  const plays = ["Plays\t32\t40", "Failed requests per 100 plays\t12.5\t5", "First byte\t50 ms\t80 ms"];
  const shown = async () => (await rowsOf("Both releases")).slice(5);
  const opened = async () => {
    await v.enter(`projects/${ada.slug}/releases`);
    await v.button("Make live Release #1").click();
  };
  const [statistics, changes] = ["*/statistics?*", "*/releases/*/changes"] as const;
  let releases: [string, string];
  beforeEach(async () => {
    releases = [
      await publish(ada, ada.slug, { "index.html": "One" }),
      await publish(ada, ada.slug, { "index.html": "Two" }),
    ];
    await storeTwoPlayedReleases(ada.slug, releases);
  });

  test("compares how both releases were played, beside their files", async () => {
    await opened();
    await dialog().getByText("1 file changes").waitFor();
    expect(await shown()).toEqual(plays);
    await dialog().getByText("are of the last 92 days").waitFor();
    expect(await lookAt(v.page, "make-live-played")).toEqual([]);
  });

  test("shows the files if the plays cannot be read, and says so", async () => {
    await refuse(statistics);
    await opened();
    await dialog().getByText("How both were played cannot be shown: ").waitFor();
    await dialog().getByText("1 file changes").waitFor();
    expect(await shown()).toEqual([]);
  });

  test("shows the plays if the files cannot be compared, and says so", async () => {
    await refuse(changes);
    await opened();
    await dialog().getByText("What it changes cannot be shown: ").waitFor();
    expect(await shown()).toEqual(plays);
    expect(await dialog().getByText("Comparing the files…").count()).toBe(0);
  });

  test("compares with what is live now, also if the comparison with what was live comes later", async () => {
    const [compared, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await v.page.route(
      `${v.service.api}/projects/${changes}`,
      async (route) => {
        const response = await route.fetch();
        compared.resolve();
        await answered.promise;
        await route.fulfill({ response });
      },
      { times: 1 },
    );
    await opened();
    await compared.promise;
    await publish(ada, ada.slug, { "index.html": "Three", "more.txt": "1" });
    await dialog().getByRole("button", { name: "Make live" }).click();
    const goesAway = dialog().getByText("1 file goes away");
    await goesAway.waitFor();
    const late = v.page.waitForResponse("**/changes");
    answered.resolve();
    await (await late).finished();
    // The changes of a response are drawn by then.
    await v.page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))");
    expect(await goesAway.count()).toBe(1);
  });
});

describe("the page of a project's statistics", () => {
  const enter = () => v.enter(`projects/${ada.slug}/statistics`);

  test("shows what the latest update did, beside the release before it", async () => {
    await storeTwoPlayedReleases(ada.slug, ["00VbbL3M8vSKHg8rDkhym8", "00VbbL3M8vSKHg8rDkhyn8"]);
    await enter();
    const table = v.page.getByRole("table", { name: "What did update #2 do?", exact: true });
    await table.waitFor();
    expect(await table.getByRole("columnheader").allInnerTexts()).toEqual(["#1", "#2"]);
    expect(await rowsOf("What did update #2 do?")).toEqual([
      "Plays\t40\t32",
      "Failed requests per 100 plays\t5\t12.5",
      "First byte\t80 ms\t50 ms",
    ]);
    expect(await lookAt(v.page, "statistics-update", table)).toEqual([]);
  });

  test("names the fifteen countries with most plays, and counts the others together", async () => {
    const codes = [
      "DE",
      "FR",
      "AT",
      "CH",
      "IT",
      "ES",
      "PT",
      "NL",
      "BE",
      "DK",
      "SE",
      "NO",
      "FI",
      "PL",
      "CZ",
      "JP",
      "KR",
    ];
    await storePlays(ada.slug, { countries: Object.fromEntries(codes.map((code, index) => [code, 100 - index])) });
    await enter();
    await v.page.getByRole("table", { name: "From where", exact: true }).waitFor();
    const rows = await rowsOf("From where");
    expect([rows.length, rows[0], ...rows.slice(-2)]).toEqual([16, "Germany\t100", "Czechia\t86", "Others\t169"]);
  });

  test("says so if nothing is counted yet, and shows no plot", async () => {
    await enter();
    await v.page.getByRole("heading", { name: "Nothing counted in these days" }).waitFor();
    expect(await v.page.locator("canvas, table").count()).toBe(0);
    expect(await lookAt(v.page, "statistics-empty")).toEqual([]);
  });

  test("says why if it cannot be read, and tries again when it is told to", async () => {
    await storePlays(ada.slug);
    await refuse("*/statistics?*");
    await enter();
    await v.page.getByRole("alert").getByText(/./).first().waitFor();
    expect(await v.page.locator("canvas").count()).toBe(0);
    await v.page.unrouteAll();
    await v.button("Try again").click();
    await v.page.locator("canvas").first().waitFor();
    expect(await v.page.getByRole("alert").count()).toBe(0);
    expect(await rowsOf("What fails")).toEqual(["/a\t404\t2"]);
  });

  test("shows what is used of the month's limits of traffic, that one is near, and until when it stops players", async () => {
    const gibibyte = 1_073_741_824;
    const near = v.page.getByText("A limit of traffic is near.");
    await storeTraffic(ada.slug, 8 * gibibyte);
    await enter();
    await near.waitFor();
    await v.page.getByText("8 GiB of at most 10 GiB (80 %)", { exact: true }).waitFor();
    await v.page.getByText(/^8 GiB of at most 40 GiB \(20 %\)$/).waitFor();
    expect(await lookAt(v.page, "statistics-limit-near")).toEqual([]);
    const project = await readProject(ada.slug);
    if (project === undefined) throw new Error("There is no project");
    await setTrafficLimit(project, new Date("2099-12-01T00:00:00.000Z"), new Date());
    await v.page.reload();
    const limited = v.page.getByText(/^Players get a page in place of the game until .*2099/);
    await limited.waitFor();
    expect(await near.count()).toBe(0);
    await v.page.goto(`${v.service.dashboard}projects/${ada.slug}`);
    await v.page.getByRole("region", { name: "Publish" }).waitFor();
    await limited.waitFor();
    expect(await lookAt(v.page, "project-limited")).toEqual([]);
    await setTrafficLimit(project, new Date(Date.now() - 1_000), new Date());
    await v.page.reload();
    await v.page.getByRole("region", { name: "Publish" }).waitFor();
    expect(await v.page.getByText(/^Players get a page/).count()).toBe(0);
  });
});
