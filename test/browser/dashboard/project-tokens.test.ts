import { expect, test } from "@jest/globals";
import { actorsOf } from "../../support/service/actors.ts";
import { addMember } from "../../support/service/operations.ts";
import { lookAt } from "./screens.ts";
import { visitor } from "./visitor.ts";

/*
 * The owner sees which tokens can act on a project, and refuses one of them.
 */

const v = visitor();

test("an owner refuses a member's token in a project, and takes it again", async () => {
  await v.ada.post("/projects", { slug: "star-hopper", name: "Star Hopper" });
  const grace = await actorsOf(v.service).developer({ name: "Grace Hopper" });
  await addMember(v.ada, "star-hopper", grace, "publisher");
  const token = await grace.token({ name: "old laptop" });
  await v.ada.token({ name: "CI", projects: ["star-hopper"] });
  await token.get("/projects/star-hopper/releases");
  await v.enter("projects/star-hopper");
  await v.tab("Settings");
  const row = v.page.getByRole("listitem").filter({ hasText: "old laptop" });
  await row.getByText("Grace Hopper, publisher: publish releases, in all their projects").waitFor();
  await row.getByRole("button", { name: "Refuse" }).click();
  const dialog = v.page.getByRole("dialog");
  await dialog.getByRole("heading", { name: "Refuse old laptop in Star Hopper?" }).waitFor();
  await dialog.getByRole("button", { name: "Refuse" }).click();
  await row.getByText("Refused here").waitFor();
  expect((await token.get("/projects/star-hopper/releases")).body.code).toBe("token_refused");
  await v.page.locator("#tokens").scrollIntoViewIfNeeded();
  expect(await lookAt(v.page, "project-tokens")).toEqual([]);
  await row.getByRole("button", { name: "Take again" }).click();
  await dialog.getByRole("button", { name: "Take again" }).click();
  await row.getByText("Refused here").waitFor({ state: "detached" });
  expect((await token.get("/projects/star-hopper/releases")).status).toBe(200);
  await v.page.goto(new URL("/projects/star-hopper/history", v.service.dashboard).href);
  await v.page.getByText("refused a token of Grace Hopper here").waitFor();
});
