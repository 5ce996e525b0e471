import { expect, test } from "@jest/globals";
import { serviceVersion } from "../../contract/api/version.ts";
import { inventToken } from "../support/cli/cli.ts";
import { hasTerminal, onPseudoTerminal, plainText } from "../support/cli/terminal.ts";
import { goodMe, sendJson, startMisbehavingServer } from "../support/network/misbehaving-server.ts";
import { useCliUser, useServers } from "../support/service/suite.ts";

const person = useCliUser();
const keep = useServers();
const onTerminal = hasTerminal ? test : test.skip;

/** A stage that serves a newer svc; `GET /` counts as a question. */
async function newerStage() {
  const root = { name: "svc", version: "1", service_version: "99.0.0", openapi: "/openapi.json", dashboard: null };
  const stage = await keep(
    startMisbehavingServer(({ url }, response) => sendJson(response, 200, url === "/" ? root : goodMe)),
  );
  const env = { SVC_API: stage.origin, SVC_TOKEN: inventToken() };
  return { env, origin: stage.origin, questions: () => stage.requests.filter(({ url }) => url === "/") };
}

onTerminal(
  "a terminal is told of a newer svc in one line, once a day, and the stage is asked without the token",
  async () => {
    const { env, origin, questions } = await newerStage();
    const { code, shown } = await onPseudoTerminal(person, "whoami", { env, columns: 120 });
    const line = `svc 99.0.0 is here, and this is ${serviceVersion}. Update it: npm install --global ${origin}/svc.tgz`;
    expect({ code, last: plainText(shown).trimEnd().split("\n").at(-1) }).toEqual({ code: 0, last: line });
    expect(questions().map(({ authorization }) => authorization)).toEqual([undefined]);
    const again = await onPseudoTerminal(person, "whoami", { env });
    expect({ code: again.code, isTold: again.shown.includes("99.0.0") }).toEqual({ code: 0, isTold: false });
    expect(questions()).toHaveLength(1);
  },
);

onTerminal.each([
  ["in CI", "whoami", { CI: "true" }],
  ["with --json", "whoami --json", {}],
  ["with --quiet", "whoami --quiet", {}],
])("nobody is told %s", async (_, command, more) => {
  const { env, questions } = await newerStage();
  const { code } = await onPseudoTerminal(person, command, { env: { ...env, ...more } });
  expect({ code, asked: questions().length }).toEqual({ code: 0, asked: 0 });
});

test("a program is not told", async () => {
  const { env, questions } = await newerStage();
  expect(await person.run(["whoami"], { env })).toMatchObject({ code: 0, stderr: "" });
  expect(questions()).toEqual([]);
});
