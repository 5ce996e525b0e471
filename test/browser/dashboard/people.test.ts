import { expect, test } from "@jest/globals";
import { actorsOf } from "../../support/service/actors.ts";
import { addMember } from "../../support/service/operations.ts";
import { newProject } from "../../support/service/steps.ts";
import { keepLooks, lookAt } from "./screens.ts";
import { visitor } from "./visitor.ts";

/*
 * The people of several games: Ada invites once, sees who has what, and removes from all.
 */

const v = visitor();
const person = (name: string) =>
  v.page.getByRole("list", { name: "People" }).getByRole("listitem").filter({ hasText: name });
const dialog = () => v.page.getByRole("dialog");

/** Many pictures, each examined, take a busy machine minutes. */
const longest = 400_000;

test(
  "one invitation is to all games and those to come, and one removal ends all",
  async () => {
    const grace = await actorsOf(v.service).developer({ sub: "grace", name: "Grace Hopper" });
    const mary = await actorsOf(v.service).developer({ sub: "mary", name: "Mary Shelley" });
    for (const [slug, name] of [
      ["comet", "Comet"],
      ["dunes", "Dunes"],
      ["star-hopper", "Star Hopper"],
    ])
      await v.ada.post("/projects", { slug, name });
    await v.enter();
    await v.page.getByRole("link", { name: "People" }).click();
    await v.page.getByText("Nobody yet.").waitFor();
    expect(await lookAt(v.page, "people-none")).toEqual([]);

    // To all, by a link.
    await v.button("Invite").click();
    await dialog().getByText("All my projects, also later ones").waitFor();
    expect(await lookAt(v.page, "people-invite")).toEqual([]);
    await dialog().getByRole("button", { name: "Make a link" }).click();
    await dialog().getByText("It is to 3 projects, and to those to come.").waitFor();
    const link = (await dialog().locator("code").textContent()) ?? "";
    await v.button("Done").click();
    await person("Whoever has the link")
      .getByText("as publisher in comet and 2 more projects, and those to come")
      .waitFor();

    // To some, by the user ID: in one of them Mary is already.
    await addMember(v.ada, "comet", mary, "admin");
    await v.page.reload();
    await person("Mary Shelley").getByText("Admin in comet").waitFor();
    await v.button("Invite").click();
    await dialog().getByText("Only the ones I choose").click();
    for (const name of ["Comet", "Dunes"]) await dialog().getByRole("checkbox", { name }).check();
    await dialog().getByRole("textbox", { name: "Their user ID (optional)" }).fill("mary");
    await dialog().getByRole("button", { name: "Continue" }).click();
    await dialog().getByRole("button", { name: "Invite" }).click();
    await dialog().getByText("It is to 2 projects.").waitFor();
    await v.button("Done").click();
    const { body } = await mary.get("/invitations");
    expect(body.invitations).toMatchObject([{ project: { slug: "dunes" }, more_projects: ["comet"], future: false }]);

    // Grace sees all of it, and joins.
    const other = await v.browser.newContext();
    try {
      const page = await other.newPage();
      page.setDefaultTimeout(20_000);
      await v.enter(link.slice(v.service.dashboard.length), { name: "Grace Hopper", page });
      await page
        .getByText("Ada Lovelace invites you to work on Comet and 2 more projects, and those to come, as publisher.")
        .waitFor();
      await page.getByText("dunes, star-hopper").waitFor();
      expect(await lookAt(page, "people-accept")).toEqual([]);
      await keepLooks(page, "people-accept");
      await page.getByRole("button", { name: "Join" }).click();
      await page.getByRole("heading", { name: "Comet", level: 1 }).waitFor();
      await page.locator(".toast").getByText("You joined comet, dunes, star-hopper.").waitFor();
      await page.goto(new URL("/people", v.service.dashboard).href);
      await page.getByRole("heading", { name: "You join the new projects of" }).waitFor();
      expect(await lookAt(page, "people-teams")).toEqual([]);
    } finally {
      await other.close();
    }
    const slug = await newProject(v.ada);
    await v.page.reload();
    await person("Grace Hopper").getByText("Publisher in comet and 3 more projects").waitFor();
    expect(await lookAt(v.page, "people")).toEqual([]);
    await keepLooks(v.page, "people");
    await v.page.goto(new URL(`/projects/${slug}/settings`, v.service.dashboard).href);
    await v.page.getByText("came with the project, from the owner’s people").waitFor();
    await v.page.getByRole("link", { name: "Everybody you work with" }).click();

    await person("Grace Hopper").getByRole("button", { name: "Remove from all" }).click();
    await dialog().getByText("are refused from their next request on").waitFor();
    expect(await lookAt(v.page, "people-removal")).toEqual([]);
    await dialog().getByRole("button", { name: "Remove from all" }).click();
    await person("Grace Hopper").waitFor({ state: "detached" });
    expect((await grace.get("/projects")).body.projects).toEqual([]);
    expect((await grace.get("/team")).body.teams).toEqual([]);
  },
  longest,
);
