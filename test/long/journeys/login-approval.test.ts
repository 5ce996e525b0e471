import { existsSync } from "node:fs";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { actorsOf, type Developer } from "../../support/actors.ts";
import { approvalUrl, startLogin, userCode } from "../../support/command-line-login.ts";
import { useCliUser, useService } from "../../support/suite.ts";
import { hasTerminal } from "../../support/terminal.ts";

const onTerminal = hasTerminal ? describe : describe.skip;

const service = useService();
let ada: Developer;
const person = useCliUser();

beforeAll(async () => {
  ada = await actorsOf(service).developer();
});
/** What the dashboard does when the person approves: it sends the browser to the URL that the API names. */
async function approve(url: URL): Promise<URL> {
  const { client_id, redirect_uri, state, code_challenge, code_challenge_method } = Object.fromEntries(
    url.searchParams,
  );
  const asked = { client_id, redirect_uri, state, code_challenge, code_challenge_method };
  const { body } = await ada.post("/oauth/approvals", { ...asked, name: "laptop", scopes: ["publish", "projects"] });
  return new URL(body.redirect_to);
}

onTerminal("svc login on a terminal", () => {
  test("is approved in the browser, and works from then on", async () => {
    const login = startLogin(person, "login", service.api, approvalUrl);
    const url = new URL((await login.found)[0]);
    expect(url.origin).toBe(new URL(service.dashboard).origin);
    expect(url.searchParams.get("token_name")).not.toBe("");
    const back = await fetch(await approve(url));
    expect(await back.text()).toContain("The command line is signed in.");
    const { code, shown } = await login.ended;
    expect({ code, shown }).toEqual({ code: 0, shown: expect.stringContaining("Logged in to") });
    const whoami = await person.run(["whoami", "--json"], { env: { SVC_API: service.api } });
    expect(whoami.json.auth).toMatchObject({ kind: "token", name: "laptop" });
  });

  test("takes no answer of another window, another server or another path", async () => {
    const login = startLogin(person, "login", service.api, approvalUrl);
    const target = await approve(new URL((await login.found)[0]));
    const changed = (name: string, value: string) => {
      const url = new URL(target);
      url.searchParams.set(name, value);
      return url;
    };
    expect((await fetch(changed("state", "another"))).status).toBe(404);
    expect((await fetch(new URL("/favicon.ico", target))).status).toBe(404);
    await fetch(changed("iss", "https://other.example"));
    const { code, shown } = await login.ended;
    expect({ code, shown }).toEqual({ code: 4, shown: expect.stringContaining("another server's") });
    expect(existsSync(person.credentialFile)).toBe(false);
  });

  test("that is denied ends with a sentence and saves nothing", async () => {
    const login = startLogin(person, "login", service.api, approvalUrl);
    const { searchParams } = new URL((await login.found)[0]);
    const back = new URL(searchParams.get("redirect_uri") ?? "");
    back.searchParams.set("error", "access_denied");
    back.searchParams.set("state", searchParams.get("state") ?? "");
    expect(await (await fetch(back)).text()).toContain("The login was denied.");
    const { code, shown } = await login.ended;
    expect({ code, shown }).toEqual({ code: 4, shown: expect.stringContaining("The login was denied in the browser") });
    expect(existsSync(person.credentialFile)).toBe(false);
  });

  test("--device shows a code, and goes on when it is approved", async () => {
    const login = startLogin(person, "login --device", service.api, userCode);
    const [shownCode] = await login.found;
    const answer = { decision: "approve", name: "pi", scopes: ["publish"] };
    expect((await ada.post(`/oauth/device/${shownCode}`, answer)).status).toBe(204);
    expect((await login.ended).code).toBe(0);
    const whoami = await person.run(["whoami", "--json"], { env: { SVC_API: service.api } });
    expect(whoami.json.auth).toMatchObject({ name: "pi", scopes: ["publish"] });
  });

  test("--device that is denied ends with a sentence", async () => {
    const login = startLogin(person, "login --device", service.api, userCode);
    await ada.post(`/oauth/device/${(await login.found)[0]}`, { decision: "deny" });
    const { code, shown } = await login.ended;
    expect({ code, shown }).toEqual({ code: 4, shown: expect.stringContaining("The login was denied in the browser") });
  });
});
