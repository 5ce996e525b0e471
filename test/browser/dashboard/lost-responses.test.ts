import { expect, test } from "@jest/globals";
import { newSlug } from "../../support/service/steps.ts";
import { visitor } from "./visitor.ts";

/*
 * The network loses the response to a creation after the service has done it, and the person tries again.
 */

const v = visitor();

/** Loses the response to the next POST to a path. */
async function loseResponseTo(path: string): Promise<void> {
  let isLost = false;
  await v.page.route(v.service.api + path, async (route) => {
    if (isLost || route.request().method() !== "POST") return await route.continue();
    isLost = true;
    await route.fetch();
    return await route.abort();
  });
}

/** Presses a button twice: the first response is lost. */
async function tryTwice(name: string): Promise<void> {
  await v.button(name).click();
  await v.page.getByText("The service cannot be reached.").waitFor();
  await v.button(name).click();
}

/** The names of Ada's active tokens. */
async function activeNames(): Promise<string[]> {
  const { body } = await v.ada.get("/tokens");
  return body.tokens
    .filter(({ status }: { status: string }) => status === "active")
    .map(({ name }: { name: string }) => name);
}

test("a new token whose response was lost is one token, and another one with other settings is another", async () => {
  await v.enter("tokens");
  await loseResponseTo("/tokens");
  await v.button("New token").click();
  await v.page.getByRole("textbox", { name: "Name" }).fill("lost");
  await tryTwice("Create token");
  await v.page.getByRole("heading", { name: "Copy your token now" }).waitFor();
  expect(await activeNames()).toEqual(["lost"]);
  await v.button("I have copied it").click();
  for (const name of ["lost", "other"]) {
    await v.button("New token").click();
    await v.page.getByRole("textbox", { name: "Name" }).fill(name);
    await v.button("Create token").click();
    await v.button("I have copied it").click();
    await v.page.getByRole("dialog").waitFor({ state: "detached" });
  }
  expect((await activeNames()).toSorted()).toEqual(["lost", "lost", "other"]);
});

test("a new project whose response was lost is there, and no other has its slug", async () => {
  const slug = newSlug();
  await v.enter();
  await loseResponseTo("/projects");
  await v.button("New project").click();
  await v.page.getByRole("textbox", { name: "Name" }).fill(slug);
  await tryTwice("Create project");
  await v.page.getByRole("heading", { name: slug, level: 1 }).waitFor();
});

test("a machine whose approval was lost is approved", async () => {
  const form = new URLSearchParams({ client_id: "svc-cli", token_name: "pi" });
  const response = await fetch(`${v.service.api}/oauth/device_authorization`, { method: "POST", body: form });
  const { user_code: code } = (await response.json()) as { user_code: string };
  await v.enter(`device?user_code=${code}`);
  await v.button("Continue").click();
  await loseResponseTo(`/oauth/device/${code}`);
  await tryTwice("Approve");
  await v.page.getByText("The device is signed in").waitFor();
});
