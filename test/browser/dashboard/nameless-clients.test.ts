import { expect, test } from "@jest/globals";
import { startHttpServer } from "../../support/network/http-server.ts";
import { useServers } from "../../support/service/suite.ts";
import { visitor } from "./visitor.ts";

/*
 * Clients of other projects sign in: they propose no name for their token, and one press of Approve is enough.
 */

const v = visitor();
const keep = useServers();

async function namesOfTokens(): Promise<string[]> {
  const { body } = await v.ada.get("/tokens");
  return body.tokens.map(({ name }: { name: string }) => name);
}

test("a machine that proposes no name for its token is approved by one press", async () => {
  const form = new URLSearchParams({ client_id: "svc-cli" });
  const response = await fetch(`${v.service.api}/oauth/device_authorization`, { method: "POST", body: form });
  const { user_code: code, device_code } = (await response.json()) as Record<string, string>;
  await v.enter(`device?user_code=${code}`);
  await v.button("Continue").click();
  await v.button("Approve").click();
  await v.page.getByText("The device is signed in").waitFor();
  const grant = {
    grant_type: "urn:ietf:params:oauth:grant-type:device_code",
    client_id: "svc-cli",
    device_code: device_code ?? "",
  };
  const body = new URLSearchParams(grant);
  expect((await fetch(`${v.service.api}/oauth/token`, { method: "POST", body })).status).toBe(200);
  expect(await namesOfTokens()).toContain("another device");
});

test("a client on this machine that proposes no name gets its code by one press", async () => {
  const codes: (string | null)[] = [];
  const callback = startHttpServer(({ url = "" }, response) => {
    const code = new URL(url, "http://127.0.0.1").searchParams.get("code");
    if (code !== null) codes.push(code);
    response.end("You can close this page.");
  });
  const { endpoint } = await keep(callback);
  const query = new URLSearchParams({
    response_type: "code",
    client_id: "svc-cli",
    redirect_uri: `${endpoint}/`,
    code_challenge: "x".repeat(43),
    code_challenge_method: "S256",
    scope: "publish",
  });
  await v.enter(`authorize?${query}`);
  await v.button("Approve").click();
  await v.page.getByText("You can close this page.").waitFor();
  expect(codes).toEqual([expect.stringMatching(/./)]);
});
