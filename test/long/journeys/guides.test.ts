import { expect, test } from "@jest/globals";
import { failuresOf, useGuideCopy } from "../../support/guide.ts";

/*
 * The guides of docs/architecture.md, one after the other in one copy of the repository. On the way the compiler or a test must name
 * the next missing place.
 */
const { snippets, commands, apply, write, types, run, synth, takeOut } = useGuideCopy();

/** Test of the new field, for the copy. */
const fieldRules = `
import { expect, test } from "@jest/globals";
import { actorsOf } from "../../support/service/actors.ts";
import { useService } from "../../support/service/suite.ts";

const service = useService();
const actors = actorsOf(service);
const website = "https://ada.example/";

test("a developer's website is stored, and everybody sees it", async () => {
  const ada = await actors.developer();
  expect(await ada.patch("/me", { website })).toMatchObject({ status: 200, body: { developer: { website } } });
  expect(await ada.get("/me")).toMatchObject({ body: { developer: { website } } });
  expect(await actors.anonymous.get("/users/" + ada.uid)).toMatchObject({ body: { website } });
});

test("a user who is no developer cannot set it", async () => {
  const ada = await actors.user();
  expect(await ada.patch("/me", { website })).toMatchObject({ status: 403, body: { code: "developer_required" } });
});
`;

/** Test of the new command, for the copy. */
const commandRules = `
import { expect, test } from "@jest/globals";
import { actorsOf } from "../support/service/actors.ts";
import { useCliUser, useService } from "../support/service/suite.ts";

const service = useService();
const person = useCliUser();

test("svc user shows the public profile of a user, without a token", async () => {
  const { uid } = await actorsOf(service).developer();
  const env = { SVC_API: service.api };
  expect(await person.run(["user", uid], { env })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("(" + uid + ")"),
    stderr: "",
  });
  expect((await person.run(["user", uid, "--json"], { env })).json).toMatchObject({ uid });
});

test("svc user of nobody fails", async () => {
  expect(await person.run(["user", "nobody"], { env: { SVC_API: service.api } })).toMatchObject({ code: 1, stdout: "" });
});
`;

test("a new field by the guide works, and each missing place is named", async () => {
  const [shown, edited, view, ...more] = await snippets("How to add a field");
  expect(more).toEqual([]);
  await apply(shown);
  expect((await types()).output).toMatch(/contract\/api\/accounts\.ts.*'website' is missing.*EditsOf/s);
  await apply(edited);
  expect((await types()).output).toMatch(/functions\/http\/views\.ts.*'website' is missing/s);
  await apply(view);
  expect(await types()).toMatchObject({ code: 0 });
  expect(await run("openapi")).toMatchObject({ code: 0 });
  await write("test/api/accounts/website.test.ts", fieldRules);
  expect(failuresOf(await run("test", "--", "contract", "functions/new-route", "test/api/accounts/website"))).toBe("");
}, 600_000);

test("a new command by the guide works, and each missing place is named", async () => {
  const [command, imported, entry, line, ...more] = await snippets("How to add a command");
  expect(more).toEqual([]);
  await apply(command);
  expect(await types()).toMatchObject({ code: 0 });
  expect((await run("test", "--", "cli/src/index")).output).toContain(
    "✕ every command of commands/user.ts is entered in COMMANDS",
  );
  await apply(imported);
  await apply(entry);
  expect((await run("test", "--", "test/documents", "-t", "every command")).output).toContain('"user"');
  await apply(line);
  await write("test/cli/user.test.ts", commandRules);
  expect(failuresOf(await run("test", "--", "test/documents", "-t", "every command"))).toBe("");
  expect(failuresOf(await run("test", "--", "test/cli/user"))).toBe("");
  const help = ["test", "--", "--config", "test/long/jest.config.js", "test/long/journeys/help.test", "-t", "svc user"];
  expect(failuresOf(await run(...help))).toBe("");
}, 600_000);

test("a new route by the guide works, and each missing place is named", async () => {
  const [description, entry, listed, handler, permission, operation, ...more] = await snippets("How to add a route");
  expect(more).toEqual([]);
  const quick = ["test", "--", "functions/new-route", "functions/access", "contract/documents/openapi"];
  await apply(description);
  expect((await run("test", "--", "functions/new-route")).output).toContain(
    "Enter getLimits in contract/api/routes.ts",
  );
  await apply(entry);
  const missing = (await run(...quick)).output;
  expect(missing).toContain("Write functions/handlers/get-limits.ts");
  expect(missing).toContain("Say in functions/access.ts what the function of getLimits may do");
  expect(missing).toContain("Add to test/support/service/operations.ts a request of getLimits that succeeds");
  const { output } = await types();
  for (const file of ["functions/access", "test/support/service/operations"])
    expect(output).toMatch(new RegExp(`${file}\\.ts.*getLimits`, "s"));
  for (const snippet of [listed, handler, permission, operation]) await apply(snippet);
  expect(await types()).toMatchObject({ code: 0 });
  const onlyOld = failuresOf(await run(...quick));
  expect(onlyOld).toContain("`npm run openapi` writes it");
  expect(onlyOld).toContain("PASS functions/new-route.test.ts");
  // The commands of its sentences renew what is generated and then name no missing place.
  for (const command of await commands("How to add a route"))
    expect(failuresOf(await run(...command.split(" ")))).toBe("");
  const long = ["test:integration", "--"];
  const deployed = ["infra/api/api.test", "infra/api/route-function", "test/long/deployment/(access|environment)"];
  expect(failuresOf(await run(...long, ...deployed))).toBe("");
  const authorization = await run(...long, "test/long/security/authorization", "-t", "getLimits");
  expect(failuresOf(authorization)).toBe("");
  expect(authorization.output).toContain("18 passed");
}, 900_000);

test("a new option by the guide works, and can be taken out again", async () => {
  const [settings, job, stack, setting, settingEntry, nameEntry, imported, entry, ...more] =
    await snippets("How to add an option");
  expect(more).toEqual([]);
  for (const snippet of [job, stack]) await apply(snippet);
  expect((await types()).output).toMatch(/options\/heartbeat\/infra\/option\.ts.*'heartbeat' does not exist/s);
  for (const snippet of [settings, setting, settingEntry, nameEntry, imported, entry]) await apply(snippet);
  expect(failuresOf(await types())).toBe("");
  const borders = ["test", "--", "test/documents/import-rules"];
  expect(failuresOf(await run(...borders))).toBe("");
  expect(await synth("staging")).toContain("svc-staging-send-heartbeat");
  await takeOut("heartbeat");
  expect(failuresOf(await types())).toBe("");
  expect(await synth("staging")).not.toContain("heartbeat");
}, 900_000);
