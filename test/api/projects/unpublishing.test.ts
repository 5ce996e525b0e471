import { beforeEach, describe, expect, test } from "@jest/globals";
import { accountKey, keys } from "../../../functions/table/keys.ts";
import { actorsOf } from "../../support/service/actors.ts";
import { overtakenBy } from "../../support/service/overtaken.ts";
import { play } from "../../support/service/play.ts";
import { publish, readyRelease } from "../../support/service/steps.ts";
import { useEmptiedService, useOwner } from "../../support/service/suite.ts";
import { opening } from "../../support/service/visits.ts";
import { brokenInvariants } from "../../support/table/invariants.ts";
import { everyItem, itemsOf, storedItem } from "../../support/table/stored.ts";

// Not the shared one, because the invariants are about the whole table.
const service = useEmptiedService();
const actors = actorsOf(service);
const ada = useOwner(service);
const overtaken = overtakenBy(service);
let path: string;

beforeEach(() => {
  path = `/projects/${ada.slug}`;
});

const project = () => storedItem(service, keys.project(ada.slug));
const unpublications = async () => {
  const items = await itemsOf(service, keys.account(accountKey(service.issuer, ada.uid)).PK);
  return items.filter((item) => item["type"] === "release_unpublished");
};

describe("POST /projects/:slug/unpublish", () => {
  const unpublish = (body?: unknown) => ada.post(`${path}/unpublish`, body);

  test("closes the live release to visitors and deletes nothing; a rollback makes it live again", async () => {
    const token = await ada.token();
    await token.get("/me");
    const release = await publish(ada, ada.slug, { "index.html": "<p>play" });
    const { status, body } = await token.post(`${path}/unpublish`);
    expect({ status, current: body.current_release }).toEqual({ status: 200, current: null });
    expect(await project()).not.toHaveProperty("currentRelease");
    expect(await unpublications()).toMatchObject([{ project: ada.slug, releaseId: release, tokenId: token.id }]);
    expect(await actors.anonymous.get(`${path}/files/index.html`)).toMatchObject({ status: 404 });
    expect(await ada.get(`${path}/releases/${release}`)).toMatchObject({ body: { status: "published" } });
    expect(await token.post(`${path}/unpublish`)).toMatchObject({ status: 200 });
    expect(await unpublications()).toHaveLength(1);
    expect(await token.post(`${path}/releases/${release}/publish`)).toMatchObject({ status: 200 });
    expect(await actors.anonymous.get(`${path}/files/index.html`)).toMatchObject({ status: 200 });
  });

  test("names the game to players, also by a name that it gets later", async () => {
    await publish(ada, ada.slug, { "index.html": "<p>play" });
    await ada.patch(path, { name: "Star <Hopper>" });
    await unpublish();
    const shown = async () => (await play(service, ada.slug, { headers: opening })).body.toString();
    expect(await shown()).toContain("<p><bdi>Star &lt;Hopper&gt;</bdi> is not online now. Come back later.");
    await ada.patch(path, { name: "Moon Hopper" });
    expect(await shown()).toContain("<bdi>Moon Hopper</bdi>");
  });

  test("happens only if the expected release is live, even if another one goes live meanwhile", async () => {
    const first = await publish(ada, ada.slug, { "index.html": "1" });
    const second = await publish(ada, ada.slug, { "index.html": "2" });
    const changed = { status: 412, body: { code: "current_release_changed" } };
    expect(await unpublish({ expect_current: first })).toMatchObject(changed);
    const rollback = () => ada.post(`${path}/releases/${first}/publish`);
    expect(await overtaken(() => unpublish({ expect_current: second }), rollback)).toMatchObject(changed);
    expect(await project()).toMatchObject({ currentRelease: { id: first } });
    const forward = () => ada.post(`${path}/releases/${second}/publish`);
    expect(await overtaken(() => unpublish({}), forward)).toMatchObject({ status: 200 });
    expect(await project()).not.toHaveProperty("currentRelease");
  });

  test("between two first publications leaves each a number of its own", async () => {
    const [first, second] = [await readyRelease(ada, ada.slug, "1"), await readyRelease(ada, ada.slug, "2")];
    const response = await overtaken(
      () => ada.post(`${path}/releases/${first}/publish`),
      // No release is live before it, and none after it.
      async () => {
        await ada.post(`${path}/releases/${second}/publish`);
        await unpublish();
      },
    );
    expect(response).toMatchObject({ status: 200, body: { release: { number: 2 } } });
    expect(await ada.get(`${path}/releases/${second}`)).toMatchObject({ body: { number: 1 } });
  });
});

test("after these tests the table keeps its invariants", async () => {
  expect(brokenInvariants(await everyItem(service))).toEqual([]);
});
