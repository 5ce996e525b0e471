import { beforeEach, expect, test } from "@jest/globals";
import { lookAt } from "../../../../../test/browser/dashboard/screens.ts";
import { visitor } from "../../../../../test/browser/dashboard/visitor.ts";
import { functionEnvironment } from "../../../../../test/support/service/function-environment.ts";
import { type Owner, withProject } from "../../../../../test/support/service/operations.ts";
import { crashesAfterUpdate, goLive } from "../../support/stored-crashes.ts";

/*
 * Crashes on the dashboard. What is counted and judged: options/reports/test.
 */

const v = visitor({ env: { GAMES_STORE_ENDPOINT: undefined, SVC_STATISTICS_SECONDS: "0" } });

let ada: Owner;
beforeEach(async () => {
  Object.assign(process.env, functionEnvironment(v.service));
  ada = await withProject(v.ada);
});

const warning = () => v.page.getByRole("alert").filter({ hasText: "crashes clearly more often" });

test("the overview says that the live release crashes more often than the one before, and Statistics how often", async () => {
  await crashesAfterUpdate(v.service, ada);
  await v.enter(`projects/${ada.slug}`);
  await warning().waitFor();
  expect(await warning().innerText()).toBe("#2 crashes clearly more often than #1. See how often");
  expect(await lookAt(v.page, "crashes-overview", warning())).toEqual([]);
  await warning().getByRole("link", { name: "See how often" }).click();
  const table = v.page.getByRole("table", { name: "Crashes", exact: true });
  await table.waitFor();
  expect(await table.locator("tbody tr").allInnerTexts()).toEqual([
    "#2\t22\t110\tout of memory 22\tphone 22",
    "#1\t10\t10\tout of memory 10\tphone 10",
  ]);
  expect(await lookAt(v.page, "crashes", table)).toEqual([]);
});

test("who goes back to the release before sees how often each crashes", async () => {
  await crashesAfterUpdate(v.service, ada);
  await v.enter(`projects/${ada.slug}`);
  await v.button("Roll back to #1").click();
  const row = v.page.getByRole("row", { name: /^Crashes per 1,000 plays/ });
  await row.waitFor();
  expect(await row.innerText()).toBe("Crashes per 1,000 plays\t110\t10");
});

test("a project without crashes says nothing of them", async () => {
  await goLive(ada);
  await v.enter(`projects/${ada.slug}/statistics`);
  await v.page.getByText("Nothing counted in these days").waitFor();
  await v.page.waitForLoadState("networkidle");
  expect(await v.page.getByText(/crash/i).count()).toBe(0);
});
