import { expect, test } from "@jest/globals";
import { failuresOf, useGuideCopy } from "../../support/guide.ts";

const { snippets, apply, write, run } = useGuideCopy();

/** What the new command must do, as a test of the copy. */
const rules = `
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

test("a new command by the guide works, and each missing place is named", async () => {
  const [route, command, imported, entry, line, ...more] = await snippets("How to add a command");
  expect(more).toEqual([]);
  await apply(command);
  expect((await run("types")).output).toMatch(/cli\/src\/commands\/user\.ts.*"getUser"/s);
  await apply(route);
  expect(await run("types")).toMatchObject({ code: 0 });
  expect((await run("test", "--", "cli/src/index")).output).toContain(
    "✕ every command of commands/user.ts is entered in COMMANDS",
  );
  await apply(imported);
  await apply(entry);
  expect((await run("test", "--", "test/documents", "-t", "every command")).output).toContain('"user"');
  await apply(line);
  await write("test/cli/user.test.ts", rules);
  expect(failuresOf(await run("test", "--", "test/documents", "-t", "every command"))).toBe("");
  expect(failuresOf(await run("test", "--", "test/cli/user"))).toBe("");
  const help = ["test", "--", "--config", "test/long/jest.config.js", "test/long/journeys/help.test", "-t", "svc user"];
  expect(failuresOf(await run(...help))).toBe("");
}, 600_000);
