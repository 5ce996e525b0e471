import { expect, test } from "@jest/globals";
import { manifestOf, newSlug, upload } from "../../test/support/service/steps.ts";
import { useOwner, useServers, useService } from "../../test/support/service/suite.ts";
import { startSwaggerClient } from "./swagger-client.ts";

/* A client that has the OpenAPI document alone: that of Swagger UI. */

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
