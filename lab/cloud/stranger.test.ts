import { readFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, expect } from "@jest/globals";
import { runNpm } from "../../local/machine/npm.ts";
import { type CliUser, createCliUser, publishResult, writeFiles } from "../../test/support/cli/cli.ts";
import { hasTerminal, onPseudoTerminal } from "../../test/support/cli/terminal.ts";
import { readDocument } from "../../test/support/documents.ts";
import { sha256 } from "../../test/support/service/steps.ts";
import { testWith } from "../foreign-tools.ts";
import { copyRepository } from "../repository-copy.ts";
import { type Cloud, cloudTool, startCloud } from "./cloud.ts";

/*
 * The way of somebody who has a clone and an account: README's two lines, its three questions answered on a terminal, and a game whose bytes
 * are in the bucket. Nothing of the stage is prepared by this test.
 */

const tool =
  cloudTool.missing === undefined && !hasTerminal
    ? { missing: "util-linux's script is not on this machine, so nobody answered the questions of a deployment" }
    : cloudTool;
const test = testWith(tool);

let cloud: Cloud;
let person: CliUser;

beforeAll(async () => {
  if (tool.missing !== undefined) return;
  cloud = await startCloud();
  person = createCliUser();
}, 240_000);
afterAll(async () => {
  await cloud?.stop();
  person?.leave();
});

/** README's commands, and what it says that the second one prints. */
const [, commands = "", printed = ""] =
  /\n## Run it on AWS\n.*?```sh\n(.*?)```.*?```\n(.*?)```/s.exec(readDocument("README.md")) ?? [];
const [install = "", deploy = ""] = commands.trim().split("\n");

const answers = [
  ["In which region? [us-east-1] ", ""],
  ["[cognito] ", ""],
  ["To which address do alarms go? ", "you@example.com"],
  ["Do it? [y/N] ", "y"],
] as const;

/** Runs a deployment of the folder on a terminal, and answers what it asks. */
async function deployOnTerminal(home: string): Promise<string> {
  let type: (text: string) => void = () => {};
  let asked = 0;
  const [program = "", ...words] = deploy.split(" ");
  const { code, shown } = await onPseudoTerminal({ home }, words.join(" "), {
    program,
    columns: 1_000,
    printsToken: true,
    timeoutMilliseconds: 500_000,
    env: { ...cloud.env, NODE_USE_ENV_PROXY: "1", HTTPS_PROXY: cloud.clientEnv.HTTPS_PROXY, NO_PROXY: "localhost" },
    onStarted: (send) => {
      type = send;
    },
    onShown: (text) => {
      const [question, answer] = answers[asked] ?? [];
      if (question === undefined || !text.includes(question)) return;
      asked += 1;
      type(`${answer}\r`);
    },
  });
  const plain = stripVTControlCharacters(shown).replaceAll("\r", "");
  if (code !== 0) throw new Error(`${plain}\n${cloud.log().slice(-3_000)}`);
  return plain;
}

test("a clone becomes a stage by README's two lines, and a game is published there", async () => {
  expect([install, deploy]).toEqual(["npm ci", expect.stringMatching(/^npm run deploy -- staging /)]);
  const clone = join(cloud.folder, "svc");
  copyRepository(clone);
  runNpm(["ci", "--prefer-offline", "--no-audit", "--no-fund"], { cwd: clone });
  cloud.prepareCopy(clone);

  const shown = await deployOnTerminal(clone);
  const [token = ""] = /\bpat_\w+/.exec(shown) ?? [];
  const [, api = ""] = /svc login --api (\S+) --token -\n/.exec(shown) ?? [];
  const masked = (text: string) =>
    text
      .replaceAll(/pat_\w+/g, "pat_…")
      .replaceAll(/https:\/\/\w+\.(execute-api|cloudfront)/g, "https://ID.$1")
      .replaceAll(/(amazonaws\.com):\d+/g, "$1")
      .replace(/, at \S+ \(AWS_ENDPOINT_URL\)/, "")
      .replaceAll(/\d+ resources/g, "N resources");
  const lines = masked(shown).split("\n");
  expect(
    masked(printed)
      .split("\n")
      .filter((line) => !lines.includes(line)),
  ).toEqual([]);
  expect(JSON.parse(readFileSync(join(clone, "svc.stages.json"), "utf8"))).toMatchObject({
    staging: { region: "us-east-1", identityProvider: "cognito", alarmEmail: "you@example.com" },
  });

  const svc = async (args: readonly string[], input = "") => {
    const result = await person.run(args, { input, env: cloud.clientEnv });
    if (result.code !== 0) throw new Error(`svc ${args.join(" ")}: ${result.stdout}${result.stderr}`);
    return result;
  };
  await svc(["login", "--api", api, "--token", "-"], token);
  await svc(["projects", "create", "first-game"]);
  const page = "<h1>first</h1>";
  writeFiles(`${person.home}/game`, { "index.html": page });
  const { release } = publishResult(await svc(["publish", "game", "-p", "first-game", "--json"]));
  expect(release).toBeTruthy();

  const played = await fetch(`${api}/projects/first-game/files/index.html`);
  expect([played.status, await played.text()]).toEqual([200, page]);
  const { Buckets: buckets } = await cloud.aws("s3api", "list-buckets");
  const bucket = buckets.find(({ Name }: { Name: string }) => /^svc-staging-files[0-9a-f]{8}-/.test(Name)).Name;
  const object = join(cloud.folder, "object");
  await cloud.aws(
    "s3api",
    "get-object",
    "--bucket",
    bucket,
    "--key",
    `projects/first-game/files/${sha256(page)}`,
    object,
  );
  expect(readFileSync(object, "utf8")).toBe(page);
}, 900_000);
