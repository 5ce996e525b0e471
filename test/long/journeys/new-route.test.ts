import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "@jest/globals";

/*
 * Follows "How to add a route" of docs/architecture.md, snippet by snippet, in a copy of the repository. On the way the
 * compiler or functions/new-route.test.ts must name the next missing place.
 */
const root = fileURLToPath(new URL("../../..", import.meta.url));
/** Nothing that is written beside the sources, and no module: those of the copy are the repository's. */
const leftOut = /\/(node_modules|\.git|cdk\.out|\.svc-data|build\/(bench|mutants|package-\w+))$/;

let copy: string;

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), "svc-guide-"));
  await cp(root, copy, { recursive: true, filter: (path) => !leftOut.test(path) });
  await symlink(join(root, "node_modules"), join(copy, "node_modules"));
});

afterAll(() => rm(copy, { recursive: true, force: true }));

async function run(...args: string[]): Promise<{ code: number; output: string }> {
  return await new Promise((resolve) => {
    execFile("npm", ["run", "--silent", ...args], { cwd: copy, maxBuffer: 64 * 1024 ** 2 }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr }),
    );
  });
}

/** What a run of tests that failed has printed. */
function failuresOf({ code, output }: { code: number; output: string }): string {
  return code === 0 ? "" : output;
}

interface Snippet {
  readonly file: string;
  readonly code: string;
}

/** The snippets of the guide in their order; the first line of each names its file. */
async function snippets(): Promise<Snippet[]> {
  const text = await readFile(join(copy, "docs/architecture.md"), "utf8");
  const guide = text.split("\n## How to add a route\n")[1]?.split("\n## ")[0] ?? "";
  return [...guide.matchAll(/^ {3}```ts\n {3}\/\/ (\S+)\n([\s\S]*?)^ {3}```$/gm)].map(([, file = "", code = ""]) => ({
    file,
    code: code.replace(/^ {3}/gm, ""),
  }));
}

/** An indented snippet is a line of the file's exported record; any other one is a new file, or the end of an existing one. */
async function apply({ file, code }: Snippet): Promise<void> {
  const path = join(copy, file);
  const before = await readFile(path, "utf8").catch(() => "");
  const after = code.startsWith(" ")
    ? before.replace(
        /^(export const (?:routes|examples|access|operations)\b[\s\S]*?)^(?=\})/m,
        (record) => record + code,
      )
    : `${before}\n${code}`.trimStart();
  await writeFile(path, after);
}

test("a new route by the guide works, and each missing place is named", async () => {
  const [description, entry, example, handler, permission, operation, ...more] = await snippets();
  expect(more).toEqual([]);
  const quick = ["test", "--", "functions/new-route", "functions/access", "contract/documents/openapi"];
  await apply(description as Snippet);
  expect((await run("test", "--", "functions/new-route")).output).toContain(
    "Enter getLimits in contract/api/routes.ts",
  );
  await apply(entry as Snippet);
  const missing = (await run(...quick)).output;
  expect(missing).toContain("Show in contract/documents/examples.ts what the bodies of getLimits look like");
  expect(missing).toContain("Write functions/handlers/get-limits.ts");
  expect(missing).toContain("Say in functions/access.ts what the function of getLimits may do");
  expect(missing).toContain("Add to test/support/service/operations.ts a request of getLimits that succeeds");
  expect(missing).toContain("Add getLimits.response to contract/documents/examples.ts");
  const { output } = await run("types");
  for (const file of ["contract/documents/examples", "functions/access", "test/support/service/operations"])
    expect(output).toMatch(new RegExp(`${file}\\.ts.*getLimits`, "s"));
  for (const snippet of [example, handler, permission, operation]) await apply(snippet as Snippet);
  expect(await run("types")).toMatchObject({ code: 0 });
  const onlyOld = failuresOf(await run(...quick));
  expect(onlyOld).toContain("`npm run openapi` writes it");
  expect(onlyOld).toContain("PASS functions/new-route.test.ts");
  expect(await run("openapi")).toMatchObject({ code: 0 });
  expect(failuresOf(await run("test", "--", "contract"))).toBe("");
  const long = ["test", "--", "--config", "test/long/jest.config.js"];
  const deployed = [
    "infra/service-stack",
    "infra/api",
    "infra/route-function",
    "test/long/deployment/(access|environment)",
  ];
  expect(failuresOf(await run(...long, "-u", ...deployed))).toBe("");
  const authorization = await run(...long, "test/long/security/authorization", "-t", "getLimits");
  expect(failuresOf(authorization)).toBe("");
  expect(authorization.output).toContain("13 passed");
}, 900_000);
