import { expect, test } from "@jest/globals";
import { keys } from "../../../functions/table/keys.ts";
import { eventually } from "../../support/eventually.ts";
import { publish, readyRelease } from "../../support/service/steps.ts";
import { setAttribute } from "../../support/table/stored.ts";
import { lookAt } from "./screens.ts";
import { visitor } from "./visitor.ts";

/*
 * A person with forty games finds one, and comes back to where they were.
 */

const v = visitor();

const nouns = ["Catcher", "Kart", "Golf", "Train", "Puzzle", "Castle", "Runner", "Garden"];
const looks = ["Star", "Neon", "Tiny", "Midnight", "Lost"];
const names = looks.flatMap((look) => nouns.map((noun) => `${look} ${noun}`));
const slugOf = (name: string) => name.toLowerCase().replace(" ", "-");

const games = () => v.page.getByRole("list", { name: "Projects", exact: true }).getByRole("listitem");
const namesShown = () => games().getByRole("heading").allTextContents();
const choose = (list: RegExp) => v.page.getByRole("radio", { name: list }).check();
const search = () => v.page.getByRole("searchbox", { name: "Search projects" });

test("forty games are searched, filtered and ordered, also by the keyboard, and Back keeps the place", async () => {
  await Promise.all(names.map((name) => v.ada.post("/projects", { slug: slugOf(name), name })));
  for (const name of ["Star Catcher", "Neon Kart", "Tiny Golf"])
    await publish(v.ada, slugOf(name), { "index.html": name });
  const preview = await readyRelease(v.ada, "lost-garden", "preview");
  await v.ada.post(`/projects/lost-garden/releases/${preview}/preview`);
  const suspension = { at: new Date().toISOString(), reason: "spam" };
  await setAttribute(v.service, keys.project("neon-kart"), "suspension", suspension);
  await v.enter();
  await games().nth(39).waitFor();
  expect(await lookAt(v.page, "forty-games")).toEqual([]);

  // Filters, each with its number.
  await choose(/^Live 2/);
  expect((await namesShown()).toSorted()).toEqual(["Star Catcher", "Tiny Golf"]);
  await choose(/^Needs attention 1/);
  await games().getByText("Suspended").waitFor();
  await choose(/^Previews 1/);
  await games().getByText("1 preview").waitFor();
  await choose(/^Not live 37/);
  await v.page.getByRole("combobox", { name: "Order" }).selectOption("Name");
  expect((await namesShown()).slice(0, 2)).toEqual(["Lost Castle", "Lost Catcher"]);

  // The search, to which / goes; nothing found says so.
  await v.page.keyboard.press("/");
  await v.page.keyboard.type("kart tiny");
  expect(await namesShown()).toEqual(["Tiny Kart"]);
  await search().fill("zebra");
  await v.page.getByText("No project is like that.").waitFor();
  await search().fill("");

  // Back shows the same list at the same place, at once.
  const far = games().getByRole("link", { name: "Tiny Train", exact: true });
  await far.scrollIntoViewIfNeeded();
  const top = await v.page.evaluate("scrollY");
  expect(top).toBeGreaterThan(300);
  await far.click();
  await v.page.getByRole("heading", { name: "Tiny Train", level: 1 }).waitFor();
  await v.page.goBack();
  await games().nth(36).waitFor();
  expect(await v.page.getByRole("combobox", { name: "Order" }).inputValue()).toBe("name");
  await eventually(async () =>
    expect(Math.abs(Number(await v.page.evaluate("scrollY")) - Number(top))).toBeLessThan(2),
  );

  // Another release of a game goes live meanwhile.
  await choose(/^All 40/);
  await publish(v.ada, "star-catcher", { "index.html": "second" });
  await v.page.evaluate("dispatchEvent(new Event('focus'))");
  await v.page.locator(".toast").getByText("Star Catcher has another live release").waitFor();
  await v.button("Close the message").click();

  // From everywhere, by some letters of a name.
  await v.page.getByRole("link", { name: "Account" }).click();
  await v.page.keyboard.press("Control+k");
  const palette = v.page.getByRole("combobox", { name: "Project or page" });
  await palette.fill("midn");
  await v.page.getByRole("option", { name: /^Midnight Golf/ }).waitFor();
  expect(await lookAt(v.page, "command-palette")).toEqual([]);
  await palette.fill("golf");
  await v.page.getByRole("option", { name: /^Lost Golf/ }).waitFor();
  await palette.press("ArrowDown");
  await palette.press("Enter");
  await v.page.getByRole("heading", { name: "Midnight Golf", level: 1 }).waitFor();
  await v.page.keyboard.press("Control+k");
  await palette.fill("sett");
  await palette.press("Enter");
  await v.page
    .getByRole("heading", { name: "Settings · Midnight Golf", level: 1 })
    .or(v.button("Invite"))
    .first()
    .waitFor();
  expect(v.page.url()).toBe(`${v.service.dashboard}projects/midnight-golf/settings`);
  await v.page.keyboard.press("Control+k");
  await palette.fill("new pro");
  await palette.press("Enter");
  await v.page.getByRole("dialog", { name: "New project" }).waitFor();
}, 240_000);
