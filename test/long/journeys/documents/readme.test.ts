import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { blocksToRun, codeBlocks, emptyShell, root, shellEnvironment } from "../../../support/documents.ts";
import { play } from "../../../support/service/play.ts";
import { useCliUser, useService } from "../../../support/service/suite.ts";

// Its commands name a project of their own, which may be created once.
const service = useService({});
const reader = useCliUser({ isNew: true });
const run = (script: string, env: Readonly<Record<string, string>> = {}) =>
  reader.run(["-c", script.replaceAll("npx --no svc", "svc")], {
    program: emptyShell,
    cwd: root,
    env: { ...shellEnvironment(service), ...env },
  });

test("the commands of the README go from nothing to a published game", async () => {
  const [begin, , check] = codeBlocks("README.md").filter(({ language }) => language === "sh");
  expect([begin?.text, check?.text]).toEqual(["npm ci --omit=dev\nnpm run demo\n", "npm ci\nnpm test\n"]);
  const [publish = ""] = blocksToRun("README.md", 1, service);

  const { code, stdout, stderr } = await run(publish);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("1. The identity provider at port");
  expect(stdout).toContain(`4. svc login --token - --api ${service.api} saved it.`);
  const page = await play(service, "my-game");
  expect(page.body.toString()).toBe(await readFile(join(root, "examples/bounce/index.html"), "utf8"));

  // The output of `svc publish dist` on the first screen is the real one.
  const shape = (text: string) =>
    text
      .replaceAll(/\b[\dA-Za-z]{22}\b/g, "ID")
      .replaceAll(/\d+(?:\.\d+)?/g, "0")
      .replaceAll(/:0\//g, "/")
      // The example has a svc.toml, which names the project.
      .replaceAll(/ (?:-p )?my-game (?=undoes|plays)/g, " ");
  const [, ...printed] =
    codeBlocks("README.md")
      .find(({ language }) => language === "text")
      ?.text.trim()
      .split("\n") ?? [];
  expect(shape(stdout).split("\n")).toEqual(expect.arrayContaining(printed.map(shape)));
});

test("npm run try says what is missing if no service runs", async () => {
  const { code, stderr } = await run("npm run --silent try", { IDP_PORT: "1" });
  expect(code).toBe(1);
  expect(stderr).toContain("Start one with `npm start`");
});

test.each([
  ["--help", 0, ""],
  ["-h", 0, ""],
  ["--port=1", 2, "npm run try does not know --port=1. Nothing was done.\n"],
  ["ada", 2, "npm run try does not know ada. Nothing was done.\n"],
])(
  "npm run try -- %s exits with %i, says what the command does, and signs nobody in",
  async (argument, exit, refusal) => {
    const { code, stdout, stderr } = await run(`npm run --silent try -- ${argument}`);
    const usage = "npm run try: signs you in as Ada at the service that npm start started";
    expect(code).toBe(exit);
    expect(exit === 0 ? stdout : stderr).toContain(refusal + usage);
    expect(exit === 0 ? stderr : stdout).toBe("");
    expect(stdout + stderr).not.toContain("POST /tokens created");
  },
);
