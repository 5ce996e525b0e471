import { expect, test } from "@jest/globals";
import { actorsOf, type Developer, type Person } from "../../support/service/actors.ts";
import { addMember } from "../../support/service/operations.ts";
import { handOver, openRelease, publish } from "../../support/service/steps.ts";
import { useOwner, useService } from "../../support/service/suite.ts";
import { storedProject } from "../../support/table/stored-project.ts";

const service = useService();
const actors = actorsOf(service);
const ada = useOwner(service);

test("the publisher of a release is the account and the token that made it live last, and null while it is open", async () => {
  const token = await ada.token({ name: "CI of my-game" });
  const id = await publish(token, ada.slug, { "index.html": "1" });
  const release = `/projects/${ada.slug}/releases/${id}`;
  const byToken = { uid: ada.uid, name: "Ada Lovelace", token: { id: token.id, name: "CI of my-game" } };
  expect((await ada.get(release)).body.published_by).toEqual(byToken);
  await publish(ada, ada.slug, { "index.html": "2" });
  const { body } = await ada.post(`${release}/publish`);
  expect(body.release.published_by).toEqual({ ...byToken, token: null });
  expect((await ada.get(release)).body).toEqual(body.release);
  const again = await token.post(`${release}/publish`);
  expect(again.body.release.published_by).toEqual({ ...byToken, token: null });
  const { body: opened } = await openRelease(token, ada.slug, { "index.html": "3" });
  expect(opened.release.published_by).toBeNull();
});

test("who published it first, and when, stays what it was after a roll-back", async () => {
  const token = await ada.token({ name: "CI" });
  const id = await publish(token, ada.slug, { "index.html": "1" });
  const { body: before } = await ada.get(`/projects/${ada.slug}/releases/${id}`);
  const { published_at: first_published_at, published_by: first_published_by } = before;
  expect(before).toMatchObject({ first_published_at, first_published_by: { token: { name: "CI" } } });
  await publish(ada, ada.slug, { "index.html": "2" });
  for (const who of [ada, token]) {
    const { body } = await who.post(`/projects/${ada.slug}/releases/${id}/publish`);
    expect(body.release).toMatchObject({ first_published_at, first_published_by });
    expect(body.release.published_at > first_published_at).toBe(true);
  }
});

const byGrace = { "index.html": "by Grace" };

/** A member with a public name, who has published a release by token. */
async function publisherWithRelease(): Promise<{ member: Developer; path: string; tokenId: string }> {
  const member = await actors.developer({ name: "Grace Hopper" });
  await addMember(ada, ada.slug, member, "publisher");
  const token = await member.token({ name: "laptop of Grace" });
  const id = await publish(token, ada.slug, byGrace);
  return { member, path: `/projects/${ada.slug}/releases/${id}`, tokenId: token.id };
}

const publishersOf = async (person: Person, path: string) => {
  const { published_by, first_published_by } = (await person.get(path)).body;
  return [published_by, first_published_by];
};

test("the others see the public name of who published, and neither the name of the token nor an email address", async () => {
  const { member, path, tokenId } = await publisherWithRelease();
  const byMember = { uid: member.uid, name: "Grace Hopper", token: { id: tokenId, name: null } };
  expect(await publishersOf(ada, path)).toEqual([byMember, byMember]);
  const asSelf = { ...byMember, token: { id: tokenId, name: "laptop of Grace" } };
  expect(await publishersOf(member, path)).toEqual([asSelf, asSelf]);
  const list = await ada.get(`/projects/${ada.slug}/releases`);
  expect(list.body.releases).toMatchObject([{ published_by: byMember, first_published_by: byMember }]);
  expect(JSON.stringify(list.body)).not.toContain(member.email);
  await member.patch("/me", { display_name: "Grace's Games" });
  expect(await publishersOf(ada, path)).toMatchObject([{ name: "Grace's Games" }, { name: "Grace's Games" }]);
});

test("a roll-back by another member and a preview say who published first", async () => {
  const { member, path } = await publisherWithRelease();
  await publish(ada, ada.slug, { "index.html": "2" });
  const { body: previewed } = await ada.post(`${path}/preview`, { name: "earlier" });
  expect(previewed.preview.release.first_published_by).toMatchObject({ uid: member.uid });
  const { body: kept } = await ada.patch(`/projects/${ada.slug}/previews/earlier`, { kept: true });
  const { body: listed } = await ada.get(`/projects/${ada.slug}/previews`);
  for (const preview of [kept.preview, listed.previews[0]])
    expect(preview.release.first_published_by).toMatchObject({ uid: member.uid });
  const { body } = await ada.post(`${path}/publish`);
  const expected = { published_by: { uid: ada.uid }, first_published_by: { uid: member.uid } };
  expect(body.release).toMatchObject(expected);
  expect((await openRelease(ada, ada.slug, byGrace)).body.release).toMatchObject(expected);
  await publish(ada, ada.slug, { "index.html": "3" });
  expect((await ada.post(`${path}/withdraw`)).body).toMatchObject(expected);
});

test("a member who was removed is still named, and an account that is deleted is not", async () => {
  const { member, path } = await publisherWithRelease();
  expect((await member.delete(`/projects/${ada.slug}/members/me`)).status).toBe(200);
  expect(await publishersOf(ada, path)).toMatchObject([{ name: "Grace Hopper" }, { name: "Grace Hopper" }]);
  expect((await member.delete("/me")).status).toBe(204);
  expect(await publishersOf(ada, path)).toEqual([null, null]);
});

test("the new owner of a project sees who published before, and no stored item has a uid", async () => {
  const grace = await ada.otherDeveloper();
  const id = await publish(await ada.token({ name: "CI" }), ada.slug, { "index.html": "1" });
  await handOver(ada, ada.slug, grace);
  const byAda = { uid: ada.uid, name: "Ada Lovelace", token: { name: null } };
  expect(await publishersOf(grace, `/projects/${ada.slug}/releases/${id}`)).toMatchObject([byAda, byAda]);
  expect(JSON.stringify((await storedProject(service, ada.slug)).items)).not.toContain(ada.uid);
});
