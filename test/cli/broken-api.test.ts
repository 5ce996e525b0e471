import { expect, test } from "@jest/globals";
import { inventToken, writeFiles } from "../support/cli/cli.ts";
import { goodMe, sendJson, startMisbehavingServer } from "../support/network/misbehaving-server.ts";
import { useCliUser, useServers } from "../support/service/suite.ts";

/*
 * An API whose JSON lacks what svc needs, in a field of a field: what fails then is the API, not svc.
 */
const person = useCliUser();
const keep = useServers();

test.each<[string, object]>([
  ["whoami", { ...goodMe, user: null }],
  ["projects list", { projects: [null], next_cursor: null }],
  ["publish game --project game", { missing: ["x"], release: null }],
])("svc %s says that the API sent %j, not that svc has a bug", async (command, body) => {
  const server = await keep(startMisbehavingServer((_, response) => sendJson(response, 200, body)));
  writeFiles(`${person.home}/game`, { "index.html": "<p>" });
  const env = { SVC_API: server.origin, SVC_TOKEN: inventToken() };
  const { code, stderr } = await person.run(command.split(" "), { env });
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/\bAPI\b/) });
  expect(stderr).not.toMatch(/svc has a bug|TypeError|RangeError|undefined|null/);
  const json = await person.run([...command.split(" "), "--json"], { env });
  const { error } = JSON.parse(json.stdout.trim());
  expect(error).toMatchObject({ code: "unexpected_response", next: expect.stringContaining("Check the API URL") });
  expect(error.message).toContain(new URL(server.origin).host);
  expect(error.message).not.toMatch(/TypeError|undefined|null/);
});
