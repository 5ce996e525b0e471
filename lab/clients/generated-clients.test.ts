import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import { root } from "../../test/support/documents.ts";
import { play } from "../../test/support/service/play.ts";
import { newProject, newSlug } from "../../test/support/service/steps.ts";
import { useOwner, useService } from "../../test/support/service/suite.ts";
import { judge, pythonTool, testWith } from "../foreign-tools.ts";

/* Clients that generators make of the OpenAPI document: each publishes a game, in as few lines as a stranger would need. */

const service = useService();
const ada = useOwner(service);
const folder = mkdtempSync(join(tmpdir(), "svc-generated-"));
afterAll(() => rmSync(folder, { recursive: true }));

const run = (cwd: string, program: string, ...args: string[]) => judge({ program }, args, { cwd });
const success = { code: 0, stderr: "" };

/** Lines that somebody has to write. */
const linesOf = (program: string) => program.split("\n").filter((line) => line.trim() !== "").length;

const game = "<p>By a generated client";

async function expectPlayed(slug: string): Promise<void> {
  expect((await play(service, slug)).body.toString()).toContain(game);
}

/** A file that a generated package publishes, by arguments: the API's URL, a token, a project and the file. */
const pythonProgram = `import hashlib, pathlib, sys
import httpx
from svc_client import AuthenticatedClient
from svc_client.api.releases import create_release, create_uploads, publish_release
from svc_client.models import (CreateReleaseRequest, CreateReleaseRequestFilesItem, CreateUploadsRequest,
                               CreateUploadsResponse, OpenedRelease, PublishReleaseResponse)

api, token, slug, name = sys.argv[1:]
data = pathlib.Path(name).read_bytes()
client = AuthenticatedClient(base_url=api, token=token)
file = CreateReleaseRequestFilesItem(path=name, size=len(data), sha256=hashlib.sha256(data).hexdigest())
opened = create_release.sync(slug, client=client, body=CreateReleaseRequest(files=[file]))
assert isinstance(opened, OpenedRelease) and opened.release, opened
body = CreateUploadsRequest(sha256=opened.missing)
uploads = create_uploads.sync(slug, opened.release.id, client=client, body=body)
assert isinstance(uploads, CreateUploadsResponse), uploads
for upload in uploads.uploads:
    httpx.put(upload.url, content=data, headers=upload.headers.to_dict()).raise_for_status()
live = publish_release.sync(slug, opened.release.id, client=client)
assert isinstance(live, PublishReleaseResponse), live
`;

/** The generator and the type checker of one environment, which has what the generated package imports too. */
const python = pythonTool("openapi-python-client==0.29.1", "openapi-python-client", "mypy==2.4.1");

testWith(python)(
  "openapi-python-client generates a client that publishes in 20 lines, and mypy --strict finds nothing in both",
  async () => {
    const tools = dirname(String(python.program));
    const document = join(root, "contract/documents/openapi.json");
    // Without ruff, which formats it, in PATH the generator still exits with 0.
    expect(
      run(folder, String(python.program), "generate", "--path", document, "--output-path", "package"),
    ).toMatchObject({
      code: 0,
    });
    const source = join(folder, "package");
    writeFileSync(join(source, "publish.py"), pythonProgram);
    writeFileSync(join(source, "index.html"), game);
    expect(linesOf(pythonProgram)).toBeLessThanOrEqual(20);
    expect(run(source, join(tools, "mypy"), "--strict", "publish.py", "svc_client")).toMatchObject({
      ...success,
      stdout: expect.stringMatching(/^Success: no issues found in \d{3} source files/),
    });
    const publish = (slug: string) =>
      run(source, join(tools, "python"), "publish.py", service.api, ada.credential, slug, "index.html");
    const slug = await newProject(ada);
    expect(publish(slug)).toMatchObject(success);
    await expectPlayed(slug);
    expect(publish(newSlug())).toMatchObject({ code: 1, stderr: expect.stringContaining("code='project_not_found'") });
  },
  300_000,
);

const typescriptProgram = `import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import createClient from "openapi-fetch";
import type { components, paths } from "./api.ts";

type Failure = components["schemas"]["Problem" | "GatewayError"];
const fail = (error: Failure) => new Error("code" in error ? \`\${error.code}: \${error.detail}\` : error.message);

const [api = "", token = "", slug = "", name = ""] = process.argv.slice(2);
const data = readFileSync(name);
const sha256 = createHash("sha256").update(data).digest("hex");
const client = createClient<paths>({ baseUrl: api, headers: { authorization: \`Bearer \${token}\` } });
const files = [{ path: name, size: data.length, sha256 }];
const opened = await client.POST("/projects/{slug}/releases", { params: { path: { slug } }, body: { files } });
if (!opened.data?.release) throw opened.error ? fail(opened.error) : new Error("A dry run");
const params = { path: { slug, id: opened.data.release.id } };
const body = { sha256: opened.data.missing };
const uploads = await client.POST("/projects/{slug}/releases/{id}/uploads", { params, body });
if (uploads.error) throw fail(uploads.error);
for (const { url, headers } of uploads.data.uploads) await fetch(url, { method: "PUT", headers, body: data });
const live = await client.POST("/projects/{slug}/releases/{id}/publish", { params });
if (live.error) throw fail(live.error);
`;

test("openapi-typescript generates types with which a program of 20 lines with openapi-fetch publishes", async () => {
  const generator = join(root, "lab/node_modules/openapi-typescript/bin/cli.js");
  expect(run(folder, process.execPath, generator, `${service.api}/openapi.json`, "--output", "api.ts").code).toBe(0);
  symlinkSync(join(root, "lab/node_modules"), join(folder, "node_modules"), "junction");
  writeFileSync(join(folder, "package.json"), '{"type": "module"}');
  writeFileSync(join(folder, "publish.ts"), typescriptProgram);
  writeFileSync(join(folder, "index.html"), game);
  expect(linesOf(typescriptProgram)).toBeLessThanOrEqual(20);
  const compiler = [
    ...[join(root, "node_modules/typescript/bin/tsc"), "--noEmit", "--strict", "--skipLibCheck"],
    ...["--allowImportingTsExtensions", "--module", "nodenext", "--target", "esnext"],
    ...["--types", "node", "--typeRoots", join(root, "node_modules/@types")],
  ];
  expect(run(folder, process.execPath, ...compiler, "publish.ts")).toEqual({ ...success, stdout: "" });
  const publish = (slug: string) =>
    run(folder, process.execPath, "publish.ts", service.api, ada.credential, slug, "index.html");
  const slug = await newProject(ada);
  expect(publish(slug)).toEqual({ ...success, stdout: "" });
  await expectPlayed(slug);
  const refused = publish(newSlug());
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("Error: project_not_found: ") });
}, 120_000);
