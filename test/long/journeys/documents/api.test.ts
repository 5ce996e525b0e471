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

test("the commands of docs/api.md get a token without a browser, see it refused, and publish a file with curl alone", async () => {
  const [create = "", revoke = "", upload = ""] = blocksToRun("docs/api.md", 3, service);
  const token = await run(`${create}\n${revoke}`);
  expect(token.stdout).toContain(`"uid":"ada"`);
  expect(token.stdout).toContain(`Logged in to ${service.api} as Ada (ada).`);
  expect(token).toMatchObject({ code: 4, stderr: expect.stringContaining("token_revoked") });
  const { code, stdout, stderr } = await run(upload);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain('"status":"live"');
  expect(stdout).toContain(await readFile(join(root, "examples/bounce/index.html"), "utf8"));
});
