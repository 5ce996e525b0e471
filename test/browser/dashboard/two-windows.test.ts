import { expect, test } from "@jest/globals";
import { newSlug } from "../../support/service/steps.ts";
import { visitor } from "./visitor.ts";

/*
 * Two windows edit the same thing: the one does not overwrite what the other has saved. The forms of a project and of the profile save in the
 * same way (dashboard/src/parts/edit.ts).
 */

const v = visitor();

const save = () => v.button("Save").click();
const fill = (text: string) => v.page.getByLabel("Name", { exact: true }).fill(text);
const done = () => v.page.getByText("Saved", { exact: true }).waitFor();
const conflict = () => v.page.getByText("Another window changed this meanwhile.");

/** Opens the form of a project, and writes another name. */
async function editProject() {
  const slug = newSlug();
  const path = `/projects/${slug}`;
  await v.ada.post("/projects", { slug, name: "Ada", description: "Old" });
  await v.enter(`projects/${slug}/settings`);
  await fill("Mine");
  return {
    path,
    saved: async () => {
      const { name, description } = (await v.ada.get(path)).body;
      return [name, description];
    },
    elsewhere: (fields: { name?: string; description?: string }) => v.ada.patch(path, fields),
  };
}

/** Does something before the next PATCH of this path is sent. */
async function beforePatch(path: string, happens: () => Promise<unknown>): Promise<void> {
  let isFirst = true;
  await v.page.route(`**${path}`, async (route) => {
    if (route.request().method() === "PATCH" && isFirst) {
      isFirst = false;
      await happens();
    }
    await route.continue();
  });
}

test("a field that another window has saved meanwhile is overwritten only by a second Save", async () => {
  const { elsewhere, saved } = await editProject();
  await elsewhere({ name: "Theirs" });
  await save();
  await conflict().waitFor();
  expect(await saved()).toEqual(["Theirs", "Old"]);
  await save();
  await done();
  expect(await saved()).toEqual(["Mine", "Old"]);
});

test("a field that the person has not changed keeps what another window has saved", async () => {
  const { elsewhere, saved } = await editProject();
  await elsewhere({ description: "Theirs" });
  await save();
  await done();
  expect(await saved()).toEqual(["Mine", "Theirs"]);
  expect(await conflict().count()).toBe(0);
});

test("what another window saves between the check and the change is not overwritten either", async () => {
  const { path, elsewhere, saved } = await editProject();
  await beforePatch(path, () => elsewhere({ name: "Theirs" }));
  await save();
  await conflict().waitFor();
  expect(await saved()).toEqual(["Theirs", "Old"]);
});

test("what concerns another field in that moment costs the person nothing", async () => {
  const { path, elsewhere, saved } = await editProject();
  await beforePatch(path, () => elsewhere({ description: "Theirs" }));
  await save();
  await done();
  expect(await saved()).toEqual(["Mine", "Theirs"]);
  expect(await conflict().count()).toBe(0);
});

test("the form of the profile does not overwrite what another window saves between the check and the change", async () => {
  await v.ada.patch("/me", { name: "Ada" });
  await v.enter("account");
  await fill("Mine");
  await beforePatch("/me", () => v.ada.patch("/me", { name: "Theirs" }));
  await save();
  await conflict().waitFor();
  expect((await v.ada.get("/me")).body.user.name).toBe("Theirs");
});
