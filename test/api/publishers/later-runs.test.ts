import { expect, test } from "@jest/globals";
import { useJobs } from "../../support/service/jobs.ts";
import { liveRelease, makeLive, openRelease, publish } from "../../support/service/steps.ts";
import { useSharedOwner } from "../../support/service/suite.ts";

/* A job that runs again does not put its old build in the place of a later one. */

const { actors, ada, ...jobs } = useJobs(useSharedOwner);

const live = () => liveRelease(actors.anonymous, ada.slug);
const refused = { status: 409, body: { code: "later_run_live", detail: expect.stringContaining("svc live") } };

test.each([
  ["GitHub", jobs.trustGitHub, (id: string) => jobs.githubJob({ run_id: id })],
  ["GitLab", jobs.trustGitLab, (id: string) => jobs.gitlabJob({ pipeline_id: id })],
] as const)(
  "of %s: an old run is refused while a later one is live, and a person can make it live",
  async (_, trust, job) => {
    await trust();
    // As texts, "1000" would come before "999".
    const later = await publish(await jobs.tokenOf(job("1000")), ada.slug, { "index.html": "new" });
    const old = await jobs.tokenOf(job("999"));
    const { body } = await openRelease(old, ada.slug, { "index.html": "old" });
    expect(await makeLive(old, ada.slug, body.release.id)).toMatchObject(refused);
    expect(await live()).toBe(later);
    expect(await makeLive(ada, ada.slug, body.release.id)).toMatchObject({ status: 200 });
    expect(await live()).toBe(body.release.id);
  },
);

test("an old run goes live over a later one if it says so, unless a publisher that it matches forbids that", async () => {
  const first = await jobs.trustGitHub();
  await publish(await jobs.tokenOf(jobs.githubJob({ run_id: "9" })), ada.slug, { "index.html": "new" });
  const replace = async (content: string) => {
    const old = await jobs.tokenOf(jobs.githubJob({ run_id: "8" }));
    const { body } = await openRelease(old, ada.slug, { "index.html": content });
    const path = `/projects/${ada.slug}/releases/${body.release.id}/publish`;
    return { id: body.release.id, ...(await old.post(path, { replace_later_run: true })) };
  };
  const meant = await replace("meant");
  expect([meant.status, await live()]).toEqual([200, meant.id]);
  await publish(await jobs.tokenOf(jobs.githubJob({ run_id: "9" })), ada.slug, { "index.html": "new again" });
  // The same jobs, with the demand: it counts beside the publisher that has none.
  expect(await jobs.trustGitHub({ only_latest_run: true })).not.toBe(first);
  expect(await replace("forbidden")).toMatchObject({
    status: 409,
    body: { code: "later_run_live", detail: expect.stringContaining("never puts an older one") },
  });
});

test("a rerun of the latest run, and a later run, go live", async () => {
  await jobs.trustGitHub();
  await publish(await jobs.tokenOf(jobs.githubJob({ run_id: "7" })), ada.slug, { "index.html": "1" });
  const again = await publish(await jobs.tokenOf(jobs.githubJob({ run_id: "7" })), ada.slug, { "index.html": "2" });
  expect(await live()).toBe(again);
  const next = await publish(await jobs.tokenOf(jobs.githubJob({ run_id: "8" })), ada.slug, { "index.html": "3" });
  expect(await live()).toBe(next);
});

test("an old run goes live if a person's release is live, and if nothing is", async () => {
  await jobs.trustGitHub();
  await publish(await jobs.tokenOf(jobs.githubJob({ run_id: "8" })), ada.slug, { "index.html": "1" });
  await publish(ada, ada.slug, { "index.html": "by hand" });
  await publish(await jobs.tokenOf(jobs.githubJob({ run_id: "7" })), ada.slug, { "index.html": "2" });
  await ada.post(`/projects/${ada.slug}/unpublish`);
  const last = await publish(await jobs.tokenOf(jobs.githubJob({ run_id: "6" })), ada.slug, { "index.html": "3" });
  expect(await live()).toBe(last);
});
