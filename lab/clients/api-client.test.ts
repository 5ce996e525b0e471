import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { root } from "../../test/support/documents.ts";
import { manifestOf, newSlug, upload } from "../../test/support/service/steps.ts";
import { useOwner, useServers, useService } from "../../test/support/service/suite.ts";
import { startSwaggerClient } from "./swagger-client.ts";

/* Clients that have the OpenAPI document alone: that of Swagger UI, and TypeScript's types as openapi-typescript generates them. */

const service = useService();
const ada = useOwner(service);
const keep = useServers();

test("swagger-client, which is given the document's URL, calls the service that sent it, and publishes a game", async () => {
  const client = await keep(startSwaggerClient(`${service.api}/openapi.json`, ada.credential));
  const { errors, operations, seconds } = client.resolved;
  expect(errors).toEqual([]);
  expect(operations).toEqual(expect.arrayContaining(["getRoot", "createRelease", "createUploads", "publishRelease"]));
  expect(seconds).toBeLessThan(20);

  const slug = newSlug();
  const created = await client.call({ operationId: "createProject", requestBody: { slug } });
  expect(created).toMatchObject({ status: 201, url: `${service.api}/projects` });
  const folder = { "index.html": "<p>By swagger-client" };
  const requestBody = { files: manifestOf(folder) };
  const { status, body } = await client.call({ operationId: "createRelease", parameters: { slug }, requestBody });
  expect(status).toBe(201);
  expect(await upload(body.first_uploads.uploads[0], folder["index.html"])).toBe(200);
  const parameters = { slug, id: body.release.id };
  expect(await client.call({ operationId: "publishRelease", parameters })).toMatchObject({ status: 200 });
  const shown = await client.call({ operationId: "getProject", parameters: { slug } });
  expect(shown.body.current_release.id).toBe(body.release.id);

  const none = { slug: newSlug() };
  const missing = await client.call({ operationId: "getProject", parameters: none });
  expect(missing).toMatchObject({ status: 404, body: { code: "project_not_found" } });
});

const program = `import type { operations } from "./api.ts";

type Refusal<Name extends keyof operations, Status extends keyof operations[Name]["responses"]> =
  operations[Name]["responses"][Status] extends { content: { "application/problem+json": infer Body } } ? Body : never;

export function messageOf(refusal: Refusal<"createToken", 409>): string {
  switch (refusal.code) {
    case "token_limit_reached":
      return refusal.detail;
    case "idempotency_key_in_use":
    case "idempotency_result_gone":
      return "Try again.";
    // @ts-expect-error: a refusal of another route
    case "slug_taken":
  }
  const rest: undefined = refusal.code;
  return String(rest);
}

export function invalidPlaceOf(refusal: Refusal<"createToken", 422>, other: Refusal<"createToken", 409>): string | undefined {
  // @ts-expect-error: of what a schema refuses alone
  if (other.errors) return undefined;
  return refusal.errors?.[0]?.pointer;
}
`;

test("the types that openapi-typescript generates have the codes of each refusal, and no others", () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-types-"));
  const run = (command: string, ...args: string[]) => execFileSync(command, args, { cwd: folder, encoding: "utf8" });
  try {
    const document = `${service.api}/openapi.json`;
    run("npx", "--yes", "--ignore-scripts", "openapi-typescript@7.13.0", document, "--output", "api.ts");
    writeFileSync(join(folder, "program.ts"), program);
    const options = ["--noEmit", "--strict", "--skipLibCheck", "--allowImportingTsExtensions", "--module", "nodenext"];
    expect(run(process.execPath, join(root, "node_modules/typescript/bin/tsc"), ...options, "program.ts")).toBe("");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
