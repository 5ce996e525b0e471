import { expect, test } from "@jest/globals";
import { useJobs } from "../../support/service/jobs.ts";
import { openRelease, publish } from "../../support/service/steps.ts";

/*
 * Jobs that a publisher lets open previews, and what their tokens and those with the scope `preview` can do.
 */
const { ada, path, trustGitHub, trustGitLab, githubJob, gitlabJob, exchange, tokenOf } = useJobs();

const pullRequest = {
  event_name: "pull_request",
  ref: "refs/pull/12/merge",
  head_ref: "faster",
  ref_protected: "false",
};
const trustPullRequests = () => trustGitHub({ may: "preview", events: ["pull_request"] });
const onlyPreviews = { status: 403, body: { code: "insufficient_scope" } };

const bearers: [string, () => Promise<Awaited<ReturnType<typeof tokenOf>>>][] = [
  ["a job for a pull request", () => trustPullRequests().then(() => tokenOf(githubJob(pullRequest)))],
  ["a token with the scope preview", () => ada.token({ scopes: ["preview"] })],
];

test.each(bearers)(
  "%s opens, uploads and shows a preview, and makes nothing live and deletes nothing",
  async (_, bearer) => {
    const live = await publish(ada, ada.slug, { "index.html": "live" });
    const before = await publish(ada, ada.slug, { "index.html": "bad" });
    const caller = await bearer();
    const { body } = await openRelease(caller, ada.slug, { "index.html": "next" });
    const at = `${path("releases")}/${body.release.id}`;
    expect(await caller.post(`${at}/preview`)).toMatchObject({ status: 200 });
    expect(await caller.post(`${at}/publish`, {})).toMatchObject(onlyPreviews);
    expect(await caller.post(`${path("releases")}/${live}/publish`, {})).toMatchObject(onlyPreviews);
    expect((await caller.post(path("unpublish"), {})).status).toBe(403);
    expect((await caller.post(`${path("releases")}/${live}/withdraw`)).status).toBe(403);
    expect((await caller.delete(`/projects/${ada.slug}`)).status).toBe(403);
    expect(await caller.delete(`${at}/preview`)).toMatchObject({ status: 200 });
    expect((await ada.get(`/projects/${ada.slug}`)).body.current_release.id).toBe(before);
  },
);

test("a job gets the scope that its publisher gives, and never more than it asks for", async () => {
  await trustPullRequests();
  const job = (scope?: string) => exchange(githubJob(pullRequest), scope === undefined ? {} : { scope });
  expect(await job()).toMatchObject({ status: 200, body: { scope: "preview" } });
  expect(await job("preview")).toMatchObject({ status: 200, body: { scope: "preview" } });
  expect(await job("publish")).toMatchObject({
    status: 400,
    body: { error: "invalid_scope", error_description: expect.stringContaining("svc publish --preview") },
  });
  await trustGitHub({ events: ["pull_request"], ref_protected: false });
  expect(await job()).toMatchObject({ status: 200, body: { scope: "publish" } });
  expect(await job("publish")).toMatchObject({ status: 200, body: { scope: "publish" } });
  expect(await job("preview")).toMatchObject({ status: 200, body: { scope: "preview" } });
});

test("a job of GitLab that a publisher lets open previews gets that scope", async () => {
  await trustGitLab({ may: "preview" });
  const branch = { ref: "faster", ref_path: "refs/heads/faster", ref_protected: "false" };
  const file = String(gitlabFile()).replace("refs/heads/main", "refs/heads/faster");
  const { body } = await exchange(gitlabJob({ ...branch, ci_config_ref_uri: file }));
  expect(body.scope).toBe("preview");
});

/** Claims of the pipeline's file, on the branch main. */
function gitlabFile() {
  const [, payload = ""] = gitlabJob().split(".");
  return JSON.parse(Buffer.from(payload, "base64url").toString()).ci_config_ref_uri;
}

test("jobs that may only open previews cannot create a project", async () => {
  const jobs = { provider: "gitlab", project_id: "1", namespace_id: "2", may: "preview" };
  const project = `${ada.slug.slice(0, 30)}-new`;
  expect(await ada.post("/publishers", { project, publisher: jobs })).toMatchObject({
    status: 422,
    body: { code: "validation_failed", errors: [{ pointer: "/publisher/may" }] },
  });
  expect((await ada.post("/publishers", { project, publisher: { ...jobs, may: "publish" } })).status).toBe(200);
});
