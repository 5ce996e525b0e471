import { expect, test } from "@jest/globals";
import { accountKey, keys } from "../../../functions/table/keys.ts";
import { startHttpServer } from "../../support/network/http-server.ts";
import { useServers } from "../../support/service/suite.ts";
import { setAttribute } from "../../support/table/stored.ts";
import { visitor } from "./visitor.ts";

/*
 * A stage where a token lives for 60 days at most.
 */

const v = visitor({ env: { MAX_TOKEN_DAYS: "60" } });
const keep = useServers();
const day = 86_400_000;

/** Opens the page that approves a command line, which asks for a token for a project. */
async function askFor(project: string): Promise<void> {
  const { endpoint } = await keep(startHttpServer((_, response) => void response.end("You can close this page.")));
  const query = new URLSearchParams({
    response_type: "code",
    client_id: "svc-cli",
    redirect_uri: `${endpoint}/`,
    code_challenge: "x".repeat(43),
    code_challenge_method: "S256",
    scope: "publish projects",
    token_name: "laptop",
    resource: `${v.service.api}/projects/${project}`,
  });
  await v.enter(`authorize?${query}`);
  await v.page.getByRole("heading", { name: "Approve the command line" }).waitFor();
}

const radio = (name: string) => v.page.getByRole("radio", { name, exact: true });

test("a command line gets the project of its svc.toml for 30 days, unless the person chooses otherwise", async () => {
  for (const slug of ["star-hopper", "moon-hopper"]) await v.ada.post("/projects", { slug });
  await askFor("star-hopper");
  await v.page.getByRole("checkbox", { name: "star-hopper" }).waitFor();
  expect(await v.page.getByRole("checkbox", { checked: true }).count()).toBe(1);
  expect(await radio("30 days").isChecked()).toBe(true);
  expect(await Promise.all(["1 day", "7 days", "60 days", "90 days"].map((name) => radio(name).count()))).toEqual([
    1, 1, 1, 0,
  ]);
  await radio("7 days").check();
  const sent = v.page.waitForRequest((request) => request.url().endsWith("/oauth/approvals"));
  await v.button("Approve").click();
  expect((await sent).postDataJSON()).toMatchObject({ projects: ["star-hopper"], expires_in_days: 7 });
  await v.page.getByText("You can close this page.").waitFor();
});

test("a project of svc.toml that nobody has created is named, and all projects are chosen", async () => {
  await askFor("not-yet");
  await v.page.getByText("You have no project not-yet yet.").waitFor();
  expect(await radio("All my projects, also later ones").isChecked()).toBe(true);
  const sent = v.page.waitForRequest((request) => request.url().endsWith("/oauth/approvals"));
  await v.button("Approve").click();
  expect((await sent).postDataJSON()).toMatchObject({ projects: null, expires_in_days: 30 });
});

test("a token that lives longer than new ones may is marked", async () => {
  const old = await v.ada.token({ name: "old CI" });
  await v.ada.token({ name: "new CI" });
  const key = keys.token(accountKey(v.service.issuer, v.ada.uid), old.id);
  await setAttribute(v.service, key, "expiresAt", new Date(Date.now() + 200 * day).toISOString());
  await v.enter("tokens");
  const row = (name: string) => v.page.getByRole("listitem").filter({ hasText: name });
  await row("old CI").getByText("more than the 60 days of new tokens").waitFor();
  expect(await row("new CI").getByText("more than").count()).toBe(0);
});
