import { expect, test } from "@jest/globals";
import { failuresOf, useGuideCopy } from "../../support/guide.ts";

/*
 * The guides of docs/architecture.md, one after the other in one copy of the repository. On the way the compiler or a test must name
 * the next missing place. What all of them have made is tested once, at the end: a run of tests bundles the copy, which takes most of the time.
 */
const { snippets, commands, apply, write, types, run, synth } = useGuideCopy();

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

/** Test of the token's new field, for the copy. */
const noteRules = `
import { expect, test } from "@jest/globals";
import { actorsOf } from "../../support/service/actors.ts";
import { useService } from "../../support/service/suite.ts";

const service = useService();

test("a note is stored, and copied to a replacement", async () => {
  const ada = await actorsOf(service).developer();
  const { body } = await ada.post("/tokens", { name: "CI", scopes: ["publish"], note: "Build server" });
  expect(body).toMatchObject({ note: "Build server" });
  expect(await ada.post("/tokens/" + body.id + "/replacement", {})).toMatchObject({ body: { note: "Build server" } });
  expect(await ada.post("/tokens", { name: "Other", scopes: ["publish"] })).toMatchObject({ body: { note: null } });
});
`;

/** Test of the option's route, for the copy. */
const heartbeatRules = `
import { expect, test } from "@jest/globals";
import { actorsOf } from "../../../test/support/service/actors.ts";
import { useService } from "../../../test/support/service/suite.ts";

const [service, without] = [useService(), useService({ env: { LEFT_OUT_OPTIONS: "heartbeat" } })];

test("a developer reads it", async () => {
  const ada = await actorsOf(service).developer();
  expect(await ada.get("/heartbeat")).toMatchObject({ status: 200, body: { every_seconds: 3600 } });
});

test("a service without the option has no such route", async () => {
  expect((await fetch(without.api + "/heartbeat")).status).toBe(404);
});
`;

/** Test of the new check, for the copy. */
const workingFileRules = `
import { expect, test } from "@jest/globals";
import { adviceInWords } from "./advice.ts";
import { adviceFor } from "./build-advice.ts";

test("working files are warned about", () => {
  const build = { paths: ["index.html", "hero.png", "hero.psd"], index: () => "", sharedMemory: () => undefined };
  const advice = adviceFor(build, { isolation: false, immutable: ["x-*"], preload: [] });
  expect(advice.map((each) => adviceInWords(each))).toEqual([
    "hero.psd is a working file that no game loads: name what is no part of it in .svcignore.",
  ]);
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

test("the compiler names the missing view of a token's field", async () => {
  const [shown, asked, stored, requested, approved, made, view, request, approval, ...more] = await snippets(
    "How to add a field of a token",
  );
  expect(more).toEqual([]);
  await apply(shown);
  expect((await types()).output).toMatch(/functions\/http\/views\.ts.*'note' is missing/s);
  for (const snippet of [asked, stored, requested, approved, made, view, request, approval]) await apply(snippet);
  expect(failuresOf(await types())).toBe("");
  await write("test/api/tokens/note.test.ts", noteRules);
}, 600_000);

test("the compiler asks for the words of a new check of what is published", async () => {
  const [code, words, check, entry, ...more] = await snippets("How to add a check of what is published");
  expect(more).toEqual([]);
  for (const snippet of [code, check, entry]) await apply(snippet);
  expect((await types()).output).toMatch(/contract\/folder\/advice\.ts.*ending return statement/s);
  await apply(words);
  expect(failuresOf(await types())).toBe("");
  await write("contract/folder/working-file-advice.test.ts", workingFileRules);
}, 600_000);

test("the compiler names the missing setting of a new option", async () => {
  const [settings, job, stack, ...entries] = await snippets("How to add an option");
  expect(entries).toHaveLength(4);
  for (const snippet of [job, stack]) await apply(snippet);
  expect((await types()).output).toMatch(/options\/heartbeat\/infra\/option\.ts.*'heartbeat' does not exist/s);
  for (const snippet of [settings, ...entries]) await apply(snippet);
  expect(failuresOf(await types())).toBe("");
}, 600_000);

test("a test names each missing place of a route of that option", async () => {
  const [route, imported, entry, handler, access, ...others] = await snippets("How to add a route of an option");
  expect(others).toHaveLength(10);
  for (const snippet of [route, imported, entry]) await apply(snippet);
  const missing = (await run("test", "--", "functions/new-route")).output;
  expect(missing).toContain("Write options/heartbeat/handlers/get-heartbeat.ts");
  expect(missing).toContain("Say in options/heartbeat/functions/access.ts what the function of getHeartbeat may do");
  expect(missing).toContain("Add to test/support/option-lists.ts a request of getHeartbeat that succeeds");
  for (const snippet of [handler, access, ...others]) await apply(snippet);
  await write("options/heartbeat/test/heartbeat.test.ts", heartbeatRules);
}, 600_000);

const titles = [
  "How to add a field",
  "How to add a command",
  "How to add a route",
  "How to add a field of a token",
  "How to add a check of what is published",
  "How to add a route of an option",
];

test("what the guides run renews what is generated, and all that they have made works", async () => {
  const named = (await Promise.all(titles.map(commands))).flat();
  const [short, long] = ["test -- ", "test:integration -- "].map((script) =>
    named.flatMap((each) => (each.startsWith(script) ? each.slice(script.length).split(" ") : [])),
  );
  expect([...new Set(named.filter((each) => !each.includes(" -- ")))].toSorted()).toEqual(["openapi", "types"]);
  expect(failuresOf(await types())).toBe("");
  expect(failuresOf(await run("openapi"))).toBe("");
  const rules = [
    "test/api/accounts/website",
    "test/cli/user",
    "test/api/tokens/note",
    "contract/folder/working-file",
    "options/heartbeat",
    "test/documents/import-rules",
  ];
  expect(failuresOf(await run("test", "--", ...new Set(short), ...rules))).toBe("");
  // These write snapshots, so all their tests run.
  expect(failuresOf(await run("test:integration", "--", ...new Set(long)))).toBe("");
  const places = [
    "infra/api/route-function",
    "test/long/deployment/(access|environment)",
    "test/long/journeys/help.test",
    "test/long/security/authorization",
  ];
  const ofNew = ["-t", "getLimits|svc user|getHeartbeat"];
  const { code, output } = await run("test:integration", "--", ...places, ...ofNew);
  expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/Tests: .* (4[6-9]|5\d) passed/) });
  const template = await synth("staging");
  for (const name of ["send-heartbeat", "get-heartbeat", "get-limits"])
    expect(template).toContain(`svc-staging-${name}`);
}, 1_200_000);
