import { expect, test } from "@jest/globals";
import { suspendProject } from "../../../functions/domain/accounts/suspensions.ts";
import { actorsOf } from "../../support/service/actors.ts";
import { makeLive, manifestOf, openRelease } from "../../support/service/steps.ts";
import { useFunctionEnvironment, useOwner, useService } from "../../support/service/suite.ts";
import { storedProject } from "../../support/table/stored-project.ts";

const service = useService();
useFunctionEnvironment(service);
const ada = useOwner(service);

const folder = { "index.html": "<h1>", "art/the cover #1.png": "PNG" };
const picture = "art/the cover #1.png";

/** Opens a release with a picture and uploads it. */
async function openPictured(files: Record<string, string> = folder): Promise<string> {
  const { body } = await openRelease(ada, ada.slug, files);
  const { status } = await ada.post(`/projects/${ada.slug}/releases`, { files: manifestOf(files), picture });
  expect(status).toBe(200);
  return body.release.id;
}

const ofRelease = async (id: string) => (await ada.get(`/projects/${ada.slug}/releases/${id}`)).body.picture_url;
const ofProject = async () => (await actorsOf(service).anonymous.get(`/projects/${ada.slug}`)).body.picture_url;
const listed = async (state = "active") =>
  (await ada.get(`/projects?state=${state}`)).body.projects.find(({ slug }: { slug: string }) => slug === ada.slug)
    .picture_url;

test("the picture of the live release is a file of the game's own host, which everybody sees", async () => {
  const release = await openPictured();
  expect([await ofRelease(release), await ofProject()]).toEqual([null, null]);
  await makeLive(ada, ada.slug, release);
  const url = `http://${ada.slug}.${service.gamesDomain}/art/the%20cover%20%231.png`;
  expect([await ofRelease(release), await ofProject(), await listed()]).toEqual([url, url, url]);
  const { items } = await storedProject(service, ada.slug);
  expect(items[`RELEASE#${release}`]).toMatchObject({ picture });
});

test("a project shows the picture of what is live: another release's, or none", async () => {
  const first = await openPictured();
  await makeLive(ada, ada.slug, first);
  const { body } = await openRelease(ada, ada.slug, { "index.html": "no picture" });
  await makeLive(ada, ada.slug, body.release.id);
  expect([await ofProject(), await ofRelease(first)]).toEqual([null, null]);
  await makeLive(ada, ada.slug, first);
  expect(await ofProject()).toEqual(expect.stringContaining("/art/"));
  await ada.post(`/projects/${ada.slug}/unpublish`);
  expect([await ofProject(), await ofRelease(first)]).toEqual([null, null]);
});

test("a project that nobody can play shows none, also to its owner", async () => {
  const release = await openPictured();
  await makeLive(ada, ada.slug, release);
  await suspendProject(ada.slug, "malware", new Date());
  expect([await listed(), await ofRelease(release)]).toEqual([null, null]);
});

test("a deleted project shows none", async () => {
  await makeLive(ada, ada.slug, await openPictured());
  await ada.delete(`/projects/${ada.slug}`);
  expect(await listed("deleted")).toBeNull();
});
