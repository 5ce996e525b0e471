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

test("the compiler names each missing place of a new field", async () => {
  const [shown, edited, view, ...more] = await snippets("How to add a field");
  expect(more).toEqual([]);
  await apply(shown);
  expect((await types()).output).toMatch(/contract\/api\/accounts\/accounts\.ts.*'website' is missing.*EditsOf/s);
  await apply(edited);
  expect((await types()).output).toMatch(/functions\/http\/views\.ts.*'website' is missing/s);
  await apply(view);
  await write("test/api/accounts/website.test.ts", fieldRules);
}, 600_000);

test("tests and the compiler name each missing place of a new command and a new route", async () => {
  const [command, imported, entry, line, ...more] = await snippets("How to add a command");
  const [description, routeEntry, listed, handler, permission, operation, ...others] =
    await snippets("How to add a route");
  expect([...more, ...others]).toEqual([]);
  await apply(command);
  await apply(description);
  const described = (await run("test", "--", "functions/new-route", "cli/src/index")).output;
  expect(described).toContain("Enter getLimits in contract/api/routes.ts");
  expect(described).toContain("● every command of commands/user.ts is entered in COMMANDS");
  for (const snippet of [imported, entry, routeEntry]) await apply(snippet);
  const missing = (
    await run("test", "--", "functions/new-route", "contract/documents/openapi", "test/documents/documents")
  ).output;
  expect(missing).toContain('"user"');
  expect(missing).toContain("Write functions/handlers/get-limits.ts");
  expect(missing).toContain("Say in functions/access.ts what the function of getLimits may do");
  expect(missing).toContain("Add to test/support/service/operations.ts a request of getLimits that succeeds");
  expect(missing).toContain("`npm run openapi` writes it");
  const { output } = await types();
  for (const file of ["functions/access", "test/support/service/operations"])
    expect(output).toMatch(new RegExp(`${file}\\.ts.*getLimits`, "s"));
  for (const snippet of [line, listed, handler, permission, operation]) await apply(snippet);
  await write("test/cli/user.test.ts", commandRules);
}, 600_000);

test("the field, the command and the route work, and what the guides run renews what is generated", async () => {
  const titles = ["How to add a field", "How to add a command", "How to add a route"];
  const named = (await Promise.all(titles.map(commands))).flat();
  const [short, long] = ["test -- ", "test:integration -- "].map((script) =>
    named.flatMap((each) => (each.startsWith(script) ? each.slice(script.length).split(" ") : [])),
  );
  const others = new Set(named.filter((each) => !each.includes(" -- ")));
  expect([...others]).toEqual(["types", "openapi"]);
  for (const other of others) expect(failuresOf(await (other === "types" ? types() : run(other)))).toBe("");
  const rules = ["test/api/accounts/website", "test/cli/user"];
  expect(failuresOf(await run("test", "--", ...new Set(short), ...rules))).toBe("");
  // These write snapshots, so all their tests run.
  expect(failuresOf(await run("test:integration", "--", ...new Set(long)))).toBe("");
  const places = [
    "infra/api/route-function",
    "test/long/deployment/(access|environment)",
    "test/long/journeys/help.test",
  ];
  const ofNew = ["test/long/security/authorization", "-t", "getLimits|svc user"];
  const { code, output } = await run("test:integration", "--", ...places, ...ofNew);
  expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/Tests: .* 2[4-9] passed/) });
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
