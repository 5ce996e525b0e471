import { beforeEach, expect, test } from "@jest/globals";
import { useJobs } from "../../support/service/jobs.ts";
import { handOver, makeLive, openRelease, publish } from "../../support/service/steps.ts";

/*
 * Events of releases in the histories of the project and of the account: the act, the release as it was, and by which credential.
 */
const { issuers, actors, ada, ...jobs } = useJobs();
const commit = "4f2a9c01d7e85b36a0c4418f9d2b7e6350aa1c88";
const run = () => ({ commit, run_url: `${issuers.github.issuer}/ada/star-hopper/actions/runs/22259804324` });

interface StoredEvent {
  readonly type: string;
}

const releaseTypes = /^(?:release|preview)_/;

/** Events of releases, newest first. */
async function eventsOf(path: string, person = ada) {
  const { body } = await person.get(path);
  return (body.events as StoredEvent[]).filter(({ type }) => releaseTypes.test(type));
}

const history = (person = ada) => eventsOf(`/projects/${ada.slug}/events`, person);
const newest = async () => (await history())[0];

beforeEach(() => jobs.trustGitHub());

test("a publication, a promotion and a roll-back are told apart in both histories", async () => {
  const first = await publish(ada, ada.slug, { "index.html": "1" });
  expect(await newest()).toMatchObject({ act: "publication", release_number: 1, release_id: first });
  const { body } = await openRelease(ada, ada.slug, { "index.html": "2" });
  const second = body.release.id;
  expect((await ada.post(`/projects/${ada.slug}/releases/${second}/preview`)).status).toBe(200);
  await makeLive(ada, ada.slug, second);
  expect(await newest()).toMatchObject({ act: "promotion", release_number: 2, release_id: second });
  await makeLive(ada, ada.slug, first);
  expect(await newest()).toMatchObject({ act: "roll_back", release_number: 1, release_id: first });
  const acts = (await eventsOf("/me/events")).map((event) => "act" in event && event.act);
  expect(acts).toEqual(["roll_back", "promotion", "publication"]);
});

test("going offline and being deleted say the release's number and message", async () => {
  const { body } = await openRelease(ada, ada.slug, { "index.html": "1" });
  const { id } = body.release;
  await makeLive(ada, ada.slug, id);
  await ada.post(`/projects/${ada.slug}/unpublish`);
  expect(await newest()).toMatchObject({ type: "release_unpublished", release_number: 1, release_id: id });
  await ada.post(`/projects/${ada.slug}/releases/${id}/withdraw`);
  expect(await newest()).toMatchObject({ type: "release_withdrawn", release_number: 1, release_id: id });
});

test("a token is named, also to members, who cannot look it up", async () => {
  await publish(await ada.token({ name: "build server" }), ada.slug, { "index.html": "1" });
  expect(await newest()).toMatchObject({ token_name: "build server" });
});

test("of a CI job the commit and run are those of its identity, and the next owner does not learn them", async () => {
  await publish(await jobs.tokenOf(jobs.githubJob()), ada.slug, { "index.html": "1" });
  expect(await newest()).toMatchObject(run());
  expect(await newest()).not.toHaveProperty("token_name");
  const heir = await ada.otherDeveloper();
  await handOver(ada, ada.slug, heir);
  const [event] = await history(heir as typeof ada);
  expect(event).toMatchObject({ act: "publication", release_number: 1 });
  expect(JSON.stringify(event)).not.toContain(commit);
  expect(JSON.stringify(event)).not.toContain("star-hopper");
});

test("a preview that a CI job opens is an event, its next version and a person's preview are none", async () => {
  const job = await jobs.tokenOf(jobs.githubJob());
  const show = async (by: Pick<typeof ada, "post">, content: string, name: string) => {
    const { body } = await openRelease(job, ada.slug, { "index.html": content });
    const shown = await by.post(`/projects/${ada.slug}/releases/${body.release.id}/preview`, { name });
    expect(shown.status).toBe(200);
    return body.release.id;
  };
  const id = await show(job, "1", "main");
  expect(await history()).toEqual([expect.objectContaining({ type: "preview_opened", release_id: id, ...run() })]);
  await show(job, "2", "main");
  await show(ada, "3", "of-ada");
  expect(await history()).toHaveLength(1);
});
