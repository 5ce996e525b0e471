import { expect, test } from "@jest/globals";
import { createCliUser } from "../../support/cli/cli.ts";
import { approvalUrl, startLogin } from "../../support/cli/command-line-login.ts";
import { complaintsOf } from "../chromium.ts";
import { lookAt } from "./screens.ts";
import { visitor } from "./visitor.ts";

/* The pages before and after the dashboard's own: of the local provider, and of the command line at the end of a login. */

const v = visitor();
const longest = 300_000;

test.each([
  ["sign-in-refused", "authorize?client_id=nobody", "This sign-in cannot continue"],
  ["signed-out", "end-session", "You are signed out"],
])(
  "the page %s of the local provider has no finding, light and dark, wide and narrow",
  async (name, path, title) => {
    await v.page.goto(`${v.service.issuer}/${path}`);
    await v.page.getByRole("main").getByRole("heading", { name: title, level: 1 }).waitFor();
    expect(await lookAt(v.page, name)).toEqual([]);
  },
  longest,
);

test.each([
  ["Approve", "The command line is signed in.", 0],
  ["Deny", "The login was denied.", 4],
])(
  "the end of svc login after %s has the design, and no finding",
  async (answer, title, code) => {
    await v.enter();
    const person = createCliUser();
    try {
      const login = startLogin(person, "login", v.service.api, approvalUrl);
      const [url] = await login.found;
      await v.page.goto(url);
      await v.button(answer).waitFor();
      const complaints = complaintsOf(v.page);
      await v.button(answer).click();
      await v.page.getByRole("main").getByRole("heading", { name: title, level: 1 }).waitFor();
      expect((await login.ended).code).toBe(code);
      expect(await lookAt(v.page, `login-${answer === "Deny" ? "denied" : "approved"}`)).toEqual([]);
      // Its style is the one that its policy names, and its icon is not asked for.
      expect(complaints).toEqual([]);
    } finally {
      person.leave();
    }
  },
  longest,
);
