import { join } from "node:path";
import { beforeAll, expect, test } from "@jest/globals";
import { type Files, writeFiles } from "../../support/cli/cli.ts";
import { emptyShell } from "../../support/documents.ts";
import { actorsOf } from "../../support/service/actors.ts";
import { play, sendTo } from "../../support/service/play.ts";
import { newSlug } from "../../support/service/steps.ts";
import { useCliUser, useService } from "../../support/service/suite.ts";

/* A program that does only what /llms.txt says: it installs svc, publishes builds that it does not know, previews, makes live, rolls back. */

const service = useService({});
const agent = useCliUser({ isNew: true });
let token: string;
let text: string;

beforeAll(async () => {
  const developer = await actorsOf(service).developer();
  token = (await developer.token({ scopes: ["publish", "projects"] })).credential;
  const api = new URL(service.api);
  text = String((await sendTo(service.api, api.host, { path: "/llms.txt" })).body);
});

/** The shell block under a heading. */
function commandsUnder(heading: string): string {
  const [, commands] = new RegExp(`^## ${heading}\\n.*?^\`\`\`sh\\n(.*?)^\`\`\``, "ms").exec(text) ?? [];
  if (commands === undefined) throw new Error(`llms.txt has no commands under ${heading}`);
  return commands;
}

const page = (version: string) => `<!doctype html><title>Game</title><h1>${version}</h1>`;

/** Builds of several kinds; the page of each says its version. */
const builds: readonly Files[] = [
  {},
  { "My Sprites/Große Welt.json": "{}", "日本/レベル.json": "[]" },
  { "game.wasm": Buffer.from([0, 97, 115, 109, 1, 0, 0, 0]), "game.data": Buffer.alloc(300_000, 7) },
];

test("builds are published at the first try, and the last is previewed, made live and rolled back, by the commands of /llms.txt alone", async () => {
  const prefix = join(agent.home, "prefix");
  const variables = {
    PATH: `${prefix}/bin:${process.env["PATH"]}`,
    ...{ npm_config_prefix: prefix, npm_config_ignore_scripts: "true", SVC_TOKEN: token },
  };
  const credential = commandsUnder("Credential");
  const run = async (heading: string, more: Readonly<Record<string, string>>) => {
    const script = `${credential}\n${commandsUnder(heading)}`;
    const { code, stdout, stderr } = await agent.run(["-c", script], {
      program: emptyShell,
      env: { ...variables, ...more },
    });
    expect({ heading, ...more, code, stderr: code === 0 ? "" : stderr }).toMatchObject({ code: 0 });
    return JSON.parse(`{${stdout.slice(stdout.lastIndexOf("\n{") + 2)}`);
  };
  const install = await agent.run(["-c", commandsUnder("Install")], { program: emptyShell, env: variables });
  expect(install).toMatchObject({ code: 0 });

  const DIR = join(agent.home, "build");
  let PROJECT = "";
  const live = async () => String((await play(service, PROJECT)).body);
  for (const files of builds) {
    PROJECT = newSlug();
    writeFiles(DIR, { ...files, "index.html": page("first") });
    expect((await run("Publish", { DIR, PROJECT })).play_url).toBe(`http://${PROJECT}.${service.gamesDomain}/`);
    expect(await live()).toContain("first");
  }
  writeFiles(DIR, { "index.html": page("second") });
  const { release: RELEASE, play_url: preview } = await run("Preview", { DIR, PROJECT });
  expect(String((await sendTo(service.api, new URL(preview).host, {})).body)).toContain("second");
  expect(await live()).toContain("first");
  await run("Make a release live", { PROJECT, RELEASE });
  expect(await live()).toContain("second");
  await run("Roll back", { PROJECT });
  expect(await live()).toContain("first");
}, 600_000);
