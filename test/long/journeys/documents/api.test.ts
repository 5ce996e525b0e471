import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { blocksToRun, emptyShell, root, shellEnvironment } from "../../../support/documents.ts";
import { useCliUser, useService } from "../../../support/service/suite.ts";

// Its commands name a project of their own, which may be created once.
const service = useService({});
const reader = useCliUser({ isNew: true });
const run = (script: string) =>
  reader.run(["-c", script.replaceAll("npx --no svc", "svc")], {
    program: emptyShell,
    cwd: root,
    env: shellEnvironment(service),
  });

test("the story of an upload in docs/api/releases.md publishes a file with curl alone", async () => {
  const [upload = ""] = blocksToRun("docs/api/releases.md", 1, service);
  const { code, stdout, stderr } = await run(upload);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain('"status":"live"');
  expect(stdout).toContain(await readFile(join(root, "examples/bounce/index.html"), "utf8"));
});

test("the commands of docs/api/README.md get a token without a browser, and one that is refused", async () => {
  const [create = "", revoke = ""] = blocksToRun("docs/api/README.md", 2, service);
  const { code, stdout, stderr } = await run(`${create}\n${revoke}`);
  expect(stdout).toContain(`"uid":"ada"`);
  expect(stdout).toContain(`Logged in to ${service.api} as Ada (ada).`);
  expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining("token_revoked") });
});
