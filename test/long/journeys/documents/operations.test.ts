import { expect, test } from "@jest/globals";
import { blocksToRun, emptyShell, root, shellEnvironment } from "../../../support/documents.ts";
import { actorsOf } from "../../../support/service/actors.ts";
import { functionEnvironment } from "../../../support/service/function-environment.ts";
import { newProject, publish } from "../../../support/service/steps.ts";
import { useCliUser, useFunctionEnvironment, useService } from "../../../support/service/suite.ts";

const service = useService({});
useFunctionEnvironment(service);
const actors = actorsOf(service);
const operator = useCliUser();

const run = async (script: string, env: Readonly<Record<string, string>> = {}, input = "") => {
  const { code, stdout, stderr } = await operator.run(["-c", script], {
    program: emptyShell,
    cwd: root,
    env: { ...shellEnvironment(), ...functionEnvironment(service), ...env },
    input,
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
};

test("the commands of docs/operations/abuse.md close an account that phishes, and its game", async () => {
  const [commands = ""] = blocksToRun("docs/operations/abuse.md", 2);
  const ada = await actors.developer();
  const slug = await newProject(ada);
  await publish(ada, slug, { "index.html": "<p>your password" });
  // As the document says for an engine of one's own: without --stage. This service has no store of a games' edge.
  const script = `operator() { npm run --silent operator -- --without-games "$@"; }\n${commands}`;
  const named = script.replaceAll("GAME", slug).replaceAll("SLUG", slug).replaceAll("UID", ada.uid);
  const shown = await run(named, { GAMES_DOMAIN: "games.example.com" });
  expect(shown).toContain(`(${ada.uid}), developer: active`);
  expect(await ada.get("/projects")).toMatchObject({ status: 403, body: { code: "account_suspended" } });
  expect(await actors.anonymous.get(`/projects/${slug}`)).toMatchObject({ status: 410 });
});

test("the command of docs/operations/repairing.md revokes a leaked token", async () => {
  const [revoke = ""] = blocksToRun("docs/operations/repairing.md", 2);
  const ada = await actors.developer();
  const token = await ada.token();
  const other = await ada.token();
  const script = `operator() { npm run --silent operator -- "$@"; }\n${revoke}`;
  expect(await run(script, {}, `${token.credential}\n`)).toContain(`${token.id}, `);
  expect(await token.get("/me")).toMatchObject({ status: 401, body: { code: "token_revoked" } });
  expect(await other.get("/me")).toMatchObject({ status: 200 });
});
