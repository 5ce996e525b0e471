import { expect, test } from "@jest/globals";
import { actorsOf } from "../../support/service/actors.ts";
import { useJobs } from "../../support/service/jobs.ts";

/*
 * A token with every scope is in the hands of somebody else until its owner revokes all: then nothing of it works any more.
 */
const { service, ada, path, githubJob, exchange, repository, issuers } = useJobs();

test("who had a leaked token publishes nothing after its owner has revoked all, by no job either", async () => {
  const thief = await ada.token({ scopes: ["publish", "projects"] });
  const jobs = {
    ...{ provider: "github", issuer: issuers.github.issuer, workflow: ".github/workflows/publish.yml" },
    ...{ repository_id: repository().id, repository_owner_id: repository().ownerId },
  };
  const refused = { status: 403, body: { code: "session_required" } };
  expect(await thief.post(path("publishers"), jobs)).toMatchObject(refused);
  expect(await thief.post("/publishers", { project: `${ada.slug}-2`, publisher: jobs })).toMatchObject(refused);
  expect(await thief.post(path("invitations"), { role: "admin" })).toMatchObject(refused);
  expect(await thief.post("/tokens", { name: "another", scopes: ["publish"] })).toMatchObject(refused);
  expect((await ada.delete("/tokens")).body).toEqual({ revoked: 1, publishers: [] });
  expect(await exchange(githubJob())).toMatchObject({ status: 400, body: { error: "invalid_request" } });
  expect(await thief.get("/me")).toMatchObject({ status: 401, body: { code: "token_revoked" } });
  expect(await actorsOf(service).bearer(thief.credential).get(path("releases"))).toMatchObject({ status: 401 });
});
