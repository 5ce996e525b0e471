import { beforeAll, describe, expect, test } from "@jest/globals";
import { limits } from "../../../contract/api/limits.ts";
import { actorsOf } from "../../support/service/actors.ts";
import { withProject } from "../../support/service/operations.ts";
import { openRelease, sha256 } from "../../support/service/steps.ts";
import { useOwner, useService } from "../../support/service/suite.ts";

const service = useService();

test("a token without the scope publish is told which one it needs, and which one it has", async () => {
  const ada = await withProject(await actorsOf(service).developer());
  const { id } = (await openRelease(ada, ada.slug, { "index.html": "<h1>" })).body.release;
  const token = await ada.token({ scopes: ["preview"] });
  const { status, headers, body } = await token.post(`/projects/${ada.slug}/releases/${id}/publish`);
  expect({ status, code: body.code }).toEqual({ status: 403, code: "insufficient_scope" });
  expect(body.detail).toBe(
    "This needs the scope publish; the personal access token has preview. Create one that has it.",
  );
  expect(headers.get("www-authenticate")).toMatch(
    /^Bearer realm="svc", error="insufficient_scope", scope="publish", resource_metadata="[^"]+"$/,
  );
});

describe("POST /projects/:slug/releases", () => {
  // Nothing that is refused changes it.
  const ada = useOwner(service, beforeAll);
  const create = (body: object) => ada.post(`/projects/${ada.slug}/releases`, body);
  const manyFiles = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ path: `f${index}`, size: 1, sha256: sha256("x") }));

  test("takes as many files as it can have", async () => {
    const files = manyFiles(limits.filesPerRelease);
    expect(await create({ files, dry_run: true })).toMatchObject({ status: 200, body: { release: null } });
  });
});
