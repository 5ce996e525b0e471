import { expect, test } from "@jest/globals";
import { eventually } from "../../support/eventually.ts";
import { actorsOf, type Developer } from "../../support/service/actors.ts";
import { newSlug, openRelease, publish } from "../../support/service/steps.ts";
import { drop } from "./drop.ts";
import { folders } from "./folders.ts";
import { visitor } from "./visitor.ts";

/* Outdated messages are not shown any more, and failed actions are not shown as done. */

let grace: Developer;
const v = visitor(undefined, async ({ service }) => {
  grace = await actorsOf(service).developer({ sub: "grace", name: "Grace Hopper" });
});
const games = folders();

const dialog = () => v.page.getByRole("dialog");
const trouble = { status: 503, json: { code: "temporarily_unavailable", detail: "Not now." } };

async function newProject(): Promise<string> {
  const slug = newSlug();
  await v.ada.post("/projects", { slug, name: "Bounce" });
  return slug;
}

test("the reason that a list cannot be read is gone once it is read", async () => {
  await v.page.route(`${v.service.api}/tokens*`, (route) => route.fulfill(trouble));
  await v.enter("tokens");
  await v.page.getByRole("alert").getByText("Not now.").waitFor();
  await v.page.unrouteAll();
  await v.button("Try again").click();
  await v.page.getByRole("alert").waitFor({ state: "detached" });
});

test("a profile does not say Saved any more if another change of it fails", async () => {
  await v.enter("account");
  const saved = v.page.getByText("Saved", { exact: true });
  await v.page.getByLabel("About you (optional)").fill("One");
  await v.button("Save").click();
  await saved.waitFor();
  const refuse: (() => Promise<void>)[] = [];
  await v.page.route(`${v.service.api}/me`, (route) =>
    route.request().method() === "PATCH" ? void refuse.push(() => route.fulfill(trouble)) : route.continue(),
  );
  await v.page.getByLabel("About you (optional)").fill("Two");
  await v.button("Save").dblclick();
  await eventually(async () => expect(refuse).not.toEqual([]));
  // Another click meanwhile sends nothing.
  await v.button("Saving…").click({ force: true });
  await Promise.all(refuse.map((one) => one()));
  await v.page.getByText("Not now.").waitFor();
  expect(refuse).toHaveLength(1);
  await saved.waitFor({ state: "detached" });
  // An optional row can be removed again.
  await v.page.unrouteAll();
  await v.page.getByLabel("Display name (optional)").fill("Ada’s games");
  await v.button("Save").click();
  await saved.waitFor();
  expect(await v.page.getByText("Not now.").count()).toBe(0);
  for (const label of ["Display name (optional)", "About you (optional)"]) await v.page.getByLabel(label).fill("");
  await v.button("Save").click();
  await eventually(async () =>
    expect((await v.ada.get("/me")).body.developer).toMatchObject({ display_name: null, bio: null }),
  );
});

test("the person found by a user ID is gone once another one is written", async () => {
  await v.enter(`projects/${await newProject()}/settings`);
  await v.button("Invite").click();
  const field = v.page.getByLabel("Their user ID (optional)");
  await field.fill(grace.uid);
  await v.button("Continue").click();
  await dialog().getByText("Grace Hopper").waitFor();
  await field.fill("another");
  await v.button("Continue").waitFor();
  await dialog().getByText("Grace Hopper").waitFor({ state: "detached" });
  await field.fill("");
  await v.button("Make a link").click();
  await dialog().getByText("Send this link to one person").waitFor();
  // However the dialog is closed and whenever, what was made in it is listed.
  await v.page.keyboard.press("Escape");
  const links = v.page.getByRole("heading", { name: "Whoever has the link" });
  await links.waitFor();
  await dialog().waitFor({ state: "detached" });
  // Its secret was shown once: what is left of the link accepts nothing.
  expect(await v.page.getByRole("button", { name: /^Copy.* the link/ }).count()).toBe(0);
  const closed = Promise.withResolvers<void>();
  await v.page.route("**/invitations", async (route) => {
    await closed.promise;
    await route.continue();
  });
  await v.button("Invite").click();
  await v.button("Make a link").click();
  await v.button("Inviting…").waitFor();
  await v.page.keyboard.press("Escape");
  await dialog().waitFor({ state: "detached" });
  closed.resolve();
  await links.nth(1).waitFor();
});

test("a person who is found late is not shown for another user ID", async () => {
  await grace.patch("/me", { display_name: "Amazing Grace" });
  await v.enter(`projects/${await newProject()}/settings`);
  await v.button("Invite").click();
  const field = v.page.getByLabel("Their user ID (optional)");
  await field.fill(grace.uid);
  const written = Promise.withResolvers<void>();
  await v.page.route("**/users?*", async (route) => {
    await written.promise;
    await route.continue();
  });
  await v.button("Continue").click();
  await field.fill("another");
  const response = v.page.waitForResponse("**/users?*");
  written.resolve();
  await response;
  await v.button("Continue").waitFor();
  expect(await dialog().getByText("Amazing Grace").count()).toBe(0);
  await v.button("Continue").click();
  await dialog().getByText("Nobody has this user ID.").waitFor();
  await field.fill(grace.uid);
  // As their games are published.
  await dialog().getByText("Amazing Grace").waitFor();
  await grace.patch("/me", { display_name: null });
});

test("a token whose history cannot be read does not look unused, and can be revoked", async () => {
  const { id } = await v.ada.token({ name: "unread" });
  await v.page.route(`${v.service.api}/tokens/${id}`, (route) =>
    route.request().method() === "GET" ? route.fulfill(trouble) : route.continue(),
  );
  await v.enter("tokens");
  await v.button("Revoke unread").click();
  await dialog().getByText("What this token did cannot be shown: Not now.").waitFor();
  expect(await dialog().getByText("Published", { exact: true }).count()).toBe(0);
  await dialog().getByRole("button", { name: "Revoke", exact: true }).click();
  await v.button("Revoke unread").waitFor({ state: "detached" });
});

test("the search of tokens stays while something is typed in it", async () => {
  for (let number = 1; number <= 9; number += 1) await grace.token({ name: `machine ${number}` });
  await v.enter("tokens", { name: "Grace Hopper" });
  const field = v.page.getByLabel("Find by name");
  await field.fill("machine 9");
  await v.button("Revoke machine 9").click();
  await dialog().getByRole("button", { name: "Revoke", exact: true }).click();
  await dialog().waitFor({ state: "detached" });
  await v.page.getByText("No token’s name contains this.").waitFor();
  await field.fill("");
  await v.page.getByRole("heading", { name: "machine 1" }).waitFor();
});

test("a token that is revoked while the revoked ones are first read is among them", async () => {
  await v.ada.token({ name: "just now over", expires_in_days: 6 });
  await v.enter("tokens");
  await v.page.locator(".badge.soon").getByText("6 days left").waitFor();
  const revoked = Promise.withResolvers<void>();
  let isFirst = true;
  await v.page.route(`${v.service.api}/tokens?status=inactive`, async (route) => {
    const response = await route.fetch();
    if (isFirst) {
      isFirst = false;
      await revoked.promise;
    }
    await route.fulfill({ response });
  });
  await v.page.getByText("Revoked and expired").click();
  await v.button("Revoke just now over").click();
  await dialog().getByRole("button", { name: "Revoke", exact: true }).click();
  await v.page.getByRole("list", { name: "Active tokens" }).getByText("just now over").waitFor({ state: "detached" });
  revoked.resolve();
  await v.page.getByRole("list", { name: "Revoked and expired tokens" }).getByText("just now over").waitFor();
});

test.each([
  ["tokens", "tokens*", ["Revoke meanwhile", "Revoke", "Revoking…"], "New token"],
  [
    "projects/meanwhile/releases",
    "projects/meanwhile/releases*",
    ["Take offline", "Take offline", "Taking it offline…"],
    "Make live Release #1",
  ],
] as const)(
  "a change on the page %s that is closed before it is done: what is open by then stays",
  async (page, read, [ask, submit, doing], other) => {
    await v.ada.token({ name: "meanwhile" });
    if (page !== "tokens") {
      await v.ada.post("/projects", { slug: "meanwhile", name: "Meanwhile" });
      for (const page of ["1", "2"]) await publish(v.ada, "meanwhile", { "index.html": page });
    }
    await v.enter(page);
    await (page === "tokens" ? v.button(ask).click() : v.choose(ask));
    const held = Promise.withResolvers<void>();
    await v.page.route(`${v.service.api}/${read}`, async (route) => {
      await held.promise;
      await route.continue();
    });
    const reading = v.page.waitForRequest(`${v.service.api}/${read}`);
    await dialog().getByRole("button", { name: submit, exact: true }).click();
    await dialog().getByRole("button", { name: doing }).waitFor();
    await reading;
    await v.page.keyboard.press("Escape");
    await dialog().waitFor({ state: "detached" });
    await v.button(other).click();
    await dialog().waitFor();
    const response = v.page.waitForResponse(`${v.service.api}/${read}`);
    held.resolve();
    await (await response).finished();
    await v.page
      .locator(page === "tokens" ? "main" : ".rows")
      .getByText(page === "tokens" ? "meanwhile" : "Live", { exact: true })
      .waitFor({ state: "detached" });
    await v.page.evaluate("new Promise((done) => setTimeout(done))");
    expect(await dialog().count()).toBe(1);
  },
);

test("a replaced token and the new one end at the times that were chosen", async () => {
  await v.ada.token({ name: "replaced", expires_in_days: 300 });
  await v.enter("tokens");
  await v.button("Replace replaced").click();
  await v.page.getByLabel("7 days").check();
  await v.page.getByLabel("After 30 days").check();
  await v.button("Replace").click();
  await v.page.getByText("The old token expires in 7 days").waitFor();
  const tokens: { name: string; expires_at: string }[] = (await v.ada.get("/tokens?status=active")).body.tokens;
  const days = tokens
    .filter(({ name }) => name === "replaced")
    .map(({ expires_at: at }) => Math.round((Date.parse(at) - Date.now()) / 86_400_000));
  expect(new Set(days)).toEqual(new Set([7, 30]));
});

test("a project that is chosen for a token stays in sight while others are searched", async () => {
  const slugs = await Promise.all(Array.from({ length: 9 }, newProject));
  await v.enter("tokens");
  await v.button("New token").click();
  await v.page.getByRole("radio", { name: "Only the ones I choose" }).check();
  const [chosen = "", other = "", third = ""] = slugs;
  await v.page.getByRole("checkbox", { name: chosen }).check();
  await v.page.getByLabel("Find a project").fill(other);
  await v.page.getByRole("checkbox", { name: third }).waitFor({ state: "detached" });
  await v.page.getByRole("checkbox", { name: chosen, checked: true }).waitFor();
});

test("of two previews of one release the one with a name is kept, and a link is made for the release once", async () => {
  const slug = await newProject();
  const { body } = await openRelease(v.ada, slug, { "index.html": "One" });
  for (const preview of [{}, { name: "beta" }])
    expect((await v.ada.post(`/projects/${slug}/releases/${body.release.id}/preview`, preview)).status).toBe(200);
  await v.enter(`projects/${slug}/releases`);
  await v.button("Keep for 30 days the preview beta").click();
  await v.button("Keep no longer the preview beta").waitFor();
  const { previews } = (await v.ada.get(`/projects/${slug}/previews`)).body;
  const kept = previews.map((preview: { name: string | null; kept: boolean }) => [preview.name, preview.kept]);
  expect(Object.fromEntries(kept)).toEqual({ beta: true, null: false });
  await v.tab("Performance");
  await v.button("Make a link").click();
  await dialog().getByRole("radio").first().waitFor();
  expect(await dialog().getByRole("radio").count()).toBe(1);
});

test("projects that cannot be read do not look like none when a token is made", async () => {
  await v.page.route(`${v.service.api}/projects*`, (route) => route.fulfill(trouble));
  await v.enter("tokens");
  await v.button("New token").click();
  await v.page.getByRole("radio", { name: "Only the ones I choose" }).check();
  await dialog().getByText("Not now.").waitFor();
  expect(await dialog().getByText("You have no projects yet.").count()).toBe(0);
});

test("the page asks to select the text that it cannot copy", async () => {
  await v.page.addInitScript("navigator.clipboard.writeText = async () => { throw new Error('denied'); }");
  await v.enter("account");
  await v.button("Copy your user ID").click();
  await v.page.getByRole("status").getByText("Select the text and copy it yourself").waitFor();
});

test("nothing can be published while a choice is applied", async () => {
  const slug = await newProject();
  await v.enter(`projects/${slug}`);
  await drop(v.page, games.write(slug, { "index.html": "One" }));
  const publish = (disabled: boolean) => v.page.locator(`.primary[aria-disabled="${disabled}"]`).getByText("Publish");
  await publish(false).waitFor();
  const held = Promise.withResolvers<void>();
  await v.page.route(`${v.service.api}/projects/${slug}/releases`, async (route) => {
    await held.promise;
    await route.continue();
  });
  await v.page.getByText("Advanced", { exact: true }).click();
  await v.page.getByRole("checkbox", { name: "Single page" }).check();
  await publish(true).waitFor();
  held.resolve();
  await publish(false).waitFor();
});

test("an approval that is refused shows the field at fault, which was folded", async () => {
  const body = new URLSearchParams({ client_id: "svc-cli", token_name: "pi" });
  const response = await fetch(`${v.service.api}/oauth/device_authorization`, { method: "POST", body });
  const { user_code: code } = (await response.json()) as { user_code: string };
  await v.enter(`device?user_code=${code}`);
  await v.page.route(`${v.service.api}/oauth/device/*`, (route) => {
    const errors = [{ pointer: "/name", detail: "must be another one" }];
    const json = { code: "validation_failed", detail: "", errors };
    return route.request().method() === "POST" ? route.fulfill({ status: 422, json }) : route.continue();
  });
  await v.button("Continue").click();
  await v.button("Approve").click();
  await v.page.getByText("This must be another one.").waitFor();
});
