import { expect, test } from "@jest/globals";
import { useJobs } from "../../../support/service/jobs.ts";
import { overtakenBy } from "../../../support/service/overtaken.ts";
import { manifestOf, openRelease } from "../../../support/service/steps.ts";

/*
 * The publisher that lets a CI job in is removed between the read and the write of the job's request.
 */
const { service, ada, path, trustGitHub, githubJob, tokenOf } = useJobs();

const underWay: [string, (id: string) => readonly [string, object]][] = [
  ["opens a release", () => [path("releases"), { files: manifestOf({ "index.html": "another" }) }]],
  ["makes one live", (id) => [`${path("releases")}/${id}/publish`, {}]],
];

test.each(underWay)("a job that %s while its publisher is removed: nothing is written", async (_, request) => {
  const publisher = await trustGitHub();
  const ci = await tokenOf(githubJob());
  const { body } = await openRelease(ci, ada.slug, { "index.html": "1" });
  const [where, what] = request(body.release.id);
  const response = await overtakenBy(service)(
    () => ci.post(where, what),
    () => ada.delete(`${path("publishers")}/${publisher}`),
  );
  expect(response).toMatchObject({ status: 401, body: { code: "token_revoked" } });
  expect((await ada.get(path("releases"))).body.releases).toMatchObject([{ id: body.release.id, status: "open" }]);
});

test("a job that finds an open release while its publisher is removed: it is not described by it", async () => {
  const publisher = await trustGitHub();
  const ci = await tokenOf(githubJob());
  const files = manifestOf({ "index.html": "1" });
  await ada.post(path("releases"), { files });
  const response = await overtakenBy(service)(
    () => ci.post(path("releases"), { files, message: "mine" }),
    () => ada.delete(`${path("publishers")}/${publisher}`),
  );
  expect(response.status).toBe(401);
  expect((await ada.get(path("releases"))).body.releases).toMatchObject([{ message: null, provenance: null }]);
});

test("a job gets no upload URL when its publisher was removed while the manifest was read", async () => {
  const publisher = await trustGitHub();
  const ci = await tokenOf(githubJob());
  const { body } = await ci.post(path("releases"), { files: manifestOf({ "index.html": "1" }) });
  let reads = 0;
  service.recorder.plan(({ operation }) => {
    reads += operation === "BatchGetItem" ? 1 : 0;
    return reads === 2 && operation === "BatchGetItem"
      ? { kind: "overtaken", by: ada.delete(`${path("publishers")}/${publisher}`).then(() => undefined) }
      : undefined;
  });
  const response = await ci.post(`${path("releases")}/${body.release.id}/uploads`, { sha256: body.missing });
  service.recorder.plan(undefined);
  expect(response).toMatchObject({ status: 401, body: { code: "token_revoked" } });
});
