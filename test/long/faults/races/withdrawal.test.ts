import { setTimeout as delay } from "node:timers/promises";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { keys } from "../../../../functions/table/keys.ts";
import { overtakenBy } from "../../../support/service/overtaken.ts";
import { makeLive, openRelease, readyRelease } from "../../../support/service/steps.ts";
import { useEmptiedService, useOwner } from "../../../support/service/suite.ts";
import { type PastRelease, withdrawalsOf } from "../../../support/service/withdrawals.ts";
import { brokenInvariants } from "../../../support/table/invariants.ts";
import { everyItem, removeItem, storedItem } from "../../../support/table/stored.ts";
import { storedProject } from "../../../support/table/stored-project.ts";

/*
 * Changes between the read and the write of a withdrawal, and withdrawals between those of another request.
 */
const service = useEmptiedService();
const ada = useOwner(service);
const overtaken = overtakenBy(service);
const withdrawn = { status: 409, body: { code: "release_withdrawn" } };
const { earlier, game, open, publishThree, statusOf, withdraw } = withdrawalsOf(service, ada);

/** Releases that were live, and the live one, each with its digest. */
let first: PastRelease;
let second: PastRelease;
let live: PastRelease;

beforeEach(async () => {
  [first, second, live] = await publishThree();
});

describe("between the read and the write", () => {
  test.each([
    ["another one", async () => undefined],
    ["none", async () => ada.post(`/projects/${ada.slug}/unpublish`)],
  ])("of a withdrawal the release goes live, if %s was: it is refused", async (_, before) => {
    await before();
    const rollBack = () => makeLive(ada, ada.slug, second.id);
    expect(await overtaken(() => withdraw(second.id), rollBack)).toMatchObject({
      status: 409,
      body: { code: "release_live" },
    });
    expect(await statusOf(second.id)).toBe("live");
  });

  test("of a withdrawal another release is withdrawn: both leave the visits", async () => {
    expect(
      await overtaken(
        () => withdraw(second.id),
        () => withdraw(first.id),
      ),
    ).toMatchObject({ status: 200 });
    expect(await earlier()).toEqual([]);
  });

  test("of a withdrawal a release goes live and the live one again: the visits of both are kept", async () => {
    const back = async () => {
      await makeLive(ada, ada.slug, first.id);
      await makeLive(ada, ada.slug, live.id);
    };
    expect(await overtaken(() => withdraw(second.id), back)).toMatchObject({ status: 200 });
    expect(await earlier()).toEqual([first.digest]);
  });

  test("of a publication another release is withdrawn: it does not come back", async () => {
    const next = await readyRelease(ada, ada.slug, "next");
    expect(
      await overtaken(
        () => makeLive(ada, ada.slug, next),
        () => withdraw(second.id),
      ),
    ).toMatchObject({ status: 200 });
    expect(await earlier()).toEqual([live.digest, first.digest]);
  });

  test("of a roll-back its release is withdrawn: it does not go live", async () => {
    expect(
      await overtaken(
        () => makeLive(ada, ada.slug, second.id),
        () => withdraw(second.id),
      ),
    ).toMatchObject(withdrawn);
    expect(await statusOf(live.id)).toBe("live");
  });

  test("of a publication its release is live, unpublished and withdrawn: it does not go live", async () => {
    await ada.post(`/projects/${ada.slug}/unpublish`);
    const next = await readyRelease(ada, ada.slug, "next");
    const meanwhile = async () => {
      await makeLive(ada, ada.slug, next);
      await ada.post(`/projects/${ada.slug}/unpublish`);
      await withdraw(next);
    };
    expect(await overtaken(() => makeLive(ada, ada.slug, next), meanwhile)).toMatchObject(withdrawn);
    expect(await statusOf(next)).toBe("withdrawn");
  });

  test("of a withdrawal the sweep ends the release: it is not stored again", async () => {
    const key = keys.release(ada.slug, second.id);
    expect(
      await overtaken(
        () => withdraw(second.id),
        () => removeItem(service, key),
      ),
    ).toMatchObject({ status: 404, body: { code: "release_not_found" } });
    expect(await storedItem(service, key)).toBeUndefined();
  });

  test("of an opening its files are withdrawn: nothing is opened", async () => {
    expect(
      await overtaken(
        () => open("2"),
        () => withdraw(second.id),
      ),
    ).toMatchObject(withdrawn);
    const { body } = await ada.get(`/projects/${ada.slug}/releases`);
    expect(body.releases.map(({ id }: { id: string }) => id)).toEqual([live.id, second.id, first.id]);
  });
});

test("a withdrawal of an open release that goes live or is discarded meanwhile is decided by what is there then", async () => {
  const { id } = (await openRelease(ada, ada.slug, game("4"))).body.release;
  expect(
    await overtaken(
      () => withdraw(id),
      () => makeLive(ada, ada.slug, id),
    ),
  ).toMatchObject({ status: 409, body: { code: "release_live" } });
  const other = (await openRelease(ada, ada.slug, game("5"))).body.release.id;
  expect(
    await overtaken(
      () => makeLive(ada, ada.slug, other),
      // In a later second than that in which the other request has begun.
      () => delay(1_001).then(() => withdraw(other)),
    ),
  ).toMatchObject({ status: 404, body: { code: "release_not_found" } });
  const third = (await openRelease(ada, ada.slug, game("6"))).body.release.id;
  const twice = await overtaken(
    () => withdraw(third),
    () => withdraw(third),
  );
  expect(twice).toMatchObject({ status: 404, body: { code: "release_not_found" } });
  const fourth = (await openRelease(ada, ada.slug, game("7"))).body.release.id;
  const again = await overtaken(
    () => open("7", { message: "again" }),
    () => withdraw(fourth),
  );
  expect(again).toMatchObject({ status: 201, body: { release: { id: expect.not.stringMatching(fourth) } } });
  await withdraw(again.body.release.id);
  expect((await storedProject(service, ada.slug)).items["PROJECT"]).toMatchObject({ openReleases: 0 });
});

test("after these tests the table keeps its invariants", async () => {
  expect(brokenInvariants(await everyItem(service))).toEqual([]);
});
