import { describe, expect, test } from "@jest/globals";
import { newSlug } from "../../support/service/steps.ts";
import { visitor } from "./visitor.ts";

/*
 * Two windows edit the same thing: the one does not overwrite what the other has saved.
 */

const v = visitor();

interface Form {
  readonly path: string;
  readonly open: () => Promise<void>;
  /** The labels of two fields. */
  readonly labels: readonly [string, string];
  /** Waits until the form says that it has saved. */
  readonly done: () => Promise<unknown>;
  /** The stored form of the same two. */
  readonly saved: () => Promise<[string, string]>;
  /** Saves fields in another window. */
  readonly elsewhere: (fields: { first?: string; second?: string }) => Promise<unknown>;
}

async function profile(): Promise<Form> {
  await v.ada.patch("/me", { name: "Ada", bio: "Old" });
  return {
    path: "/me",
    open: () => v.enter("account"),
    labels: ["Name", "About you (optional)"],
    done: () => v.page.getByText("Saved", { exact: true }).waitFor(),
    saved: async () => {
      const { user, developer } = (await v.ada.get("/me")).body;
      return [user.name, developer.bio];
    },
    elsewhere: ({ first, second }) => v.ada.patch("/me", { name: first, bio: second }),
  };
}

async function project(): Promise<Form> {
  const slug = newSlug();
  await v.ada.post("/projects", { slug, name: "Ada", description: "Old" });
  return {
    path: `/projects/${slug}`,
    open: () => v.enter(`projects/${slug}/settings`),
    labels: ["Name", "Description"],
    done: () => v.page.getByText("Saved", { exact: true }).waitFor(),
    saved: async () => {
      const { name, description } = (await v.ada.get(`/projects/${slug}`)).body;
      return [name, description];
    },
    elsewhere: ({ first, second }) => v.ada.patch(`/projects/${slug}`, { name: first, description: second }),
  };
}

const save = () => v.button("Save").click();
const fill = (label: string, text: string) => v.page.getByLabel(label, { exact: true }).fill(text);
const conflict = () => v.page.getByText("Another window changed this meanwhile.");

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

describe.each([
  ["the profile", profile],
  ["a project", project],
])("in the form of %s", (_, prepare) => {
  test("a field that another window has saved meanwhile is overwritten only by a second Save", async () => {
    const form = await prepare();
    await form.open();
    await fill(form.labels[0], "Mine");
    await form.elsewhere({ first: "Theirs" });
    await save();
    await conflict().waitFor();
    expect(await form.saved()).toEqual(["Theirs", "Old"]);
    await save();
    await form.done();
    expect(await form.saved()).toEqual(["Mine", "Old"]);
  });

  test("a field that the person has not changed keeps what another window has saved", async () => {
    const form = await prepare();
    await form.open();
    await fill(form.labels[0], "Mine");
    await form.elsewhere({ second: "Theirs" });
    await save();
    await form.done();
    expect(await form.saved()).toEqual(["Mine", "Theirs"]);
    expect(await conflict().count()).toBe(0);
  });

  test("what another window saves between the check and the change is not overwritten either", async () => {
    const form = await prepare();
    await form.open();
    await fill(form.labels[0], "Mine");
    await beforePatch(form.path, () => form.elsewhere({ first: "Theirs" }));
    await save();
    await conflict().waitFor();
    expect(await form.saved()).toEqual(["Theirs", "Old"]);
  });

  test("what concerns another field in that moment costs the person nothing", async () => {
    const form = await prepare();
    await form.open();
    await fill(form.labels[0], "Mine");
    await beforePatch(form.path, () => form.elsewhere({ second: "Theirs" }));
    await save();
    await form.done();
    expect(await form.saved()).toEqual(["Mine", "Theirs"]);
    expect(await conflict().count()).toBe(0);
  });
});
