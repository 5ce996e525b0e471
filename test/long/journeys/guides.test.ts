import { expect, test } from "@jest/globals";
import { failuresOf, type GuideRun, type Snippet, useGuideCopy } from "../../support/guide.ts";

/*
 * The guides of docs/architecture.md, side by side in one copy of the repository. On the way the compiler or a test must name the next
 * missing place of each. They go together, because to check the types takes 10 s of a processor and a run of tests, which bundles the
 * copy, as long.
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

/** The snippets of a guide, which has so many. */
async function guide(title: string, count: number): Promise<Snippet[]> {
  const all = await snippets(title);
  expect(all).toHaveLength(count);
  return all;
}

async function applyAll(...all: readonly (Snippet | undefined)[]): Promise<void> {
  for (const snippet of all) await apply(snippet);
}

/** What the compiler says of one file. */
function complaintsAbout(file: string, { output }: GuideRun): string {
  return output
    .split(/^(?=\S)/m)
    .filter((complaint) => complaint.startsWith(`${file}.ts(`))
    .join("");
}

test("tests and the compiler name each missing place", async () => {
  const [shown, edited, view] = await guide("How to add a field", 3);
  const [noteShown, ...noteOthers] = await guide("How to add a field of a token", 9);
  const [code, words, check, checkEntry] = await guide("How to add a check of what is published", 4);
  const [settings, job, stack, ...optionEntries] = await guide("How to add an option", 7);
  const [command, commandImport, commandEntry, line] = await guide("How to add a command", 4);
  const [route, routeEntry, ...routeOthers] = await guide("How to add a route", 6);
  const [ofOption, ofOptionImport, ofOptionEntry, ...ofOptionOthers] = await guide(
    "How to add a route of an option",
    15,
  );

  await applyAll(shown, noteShown, code, check, checkEntry, job, stack, command, route);
  const firstTypes = await types();
  expect(complaintsAbout("contract/api/accounts/accounts", firstTypes)).toMatch(/'website' is missing.*EditsOf/s);
  expect(complaintsAbout("functions/http/views", firstTypes)).toContain("'note' is missing");
  expect(complaintsAbout("contract/folder/advice", firstTypes)).toContain("ending return statement");
  expect(complaintsAbout("options/heartbeat/infra/option", firstTypes)).toContain("'heartbeat' does not exist");
  const notEntered = (await run("test", "--", "functions/new-route", "cli/src/index")).output;
  expect(notEntered).toContain("Enter getLimits in contract/api/routes.ts");
  expect(notEntered).toContain("● every command of commands/user.ts is entered in COMMANDS");

  await applyAll(edited, ...noteOthers, words, settings, ...optionEntries, commandImport, commandEntry, routeEntry);
  await applyAll(ofOption, ofOptionImport, ofOptionEntry);
  const secondTypes = await types();
  expect(complaintsAbout("functions/http/views", secondTypes)).toContain("'website' is missing");
  for (const file of ["functions/access", "test/support/service/operations"])
    expect(complaintsAbout(file, secondTypes)).toContain("getLimits");
  const missing = (
    await run("test", "--", "functions/new-route", "contract/documents/openapi", "test/documents/documents")
  ).output;
  expect(missing).toContain('"user"');
  expect(missing).toContain("Write functions/handlers/get-limits.ts");
  expect(missing).toContain("Say in functions/access.ts what the function of getLimits may do");
  expect(missing).toContain("Add to test/support/service/operations.ts a request of getLimits that succeeds");
  expect(missing).toContain("Write options/heartbeat/handlers/get-heartbeat.ts");
  expect(missing).toContain("Say in options/heartbeat/functions/access.ts what the function of getHeartbeat may do");
  expect(missing).toContain("Add to test/support/option-lists.ts a request of getHeartbeat that succeeds");
  expect(missing).toContain("`npm run openapi` writes it");

  await applyAll(view, line, ...routeOthers, ...ofOptionOthers);
}, 1_200_000);

/** Tests of what the guides make, by their places in the copy. */
const ruleTests = {
  "test/api/accounts/website.test.ts": fieldRules,
  "test/cli/user.test.ts": commandRules,
  "test/api/tokens/note.test.ts": noteRules,
  "contract/folder/working-file-advice.test.ts": workingFileRules,
  "options/heartbeat/test/heartbeat.test.ts": heartbeatRules,
};

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
  for (const [file, code] of Object.entries(ruleTests)) await write(file, code);
  const rules = [...Object.keys(ruleTests), "test/documents/import-rules"];
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
