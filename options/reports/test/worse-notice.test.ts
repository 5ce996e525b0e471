import { beforeEach, describe, expect, test } from "@jest/globals";
import { accountKey } from "../../../functions/table/keys.ts";
import type { Developer } from "../../../test/support/service/actors.ts";
import { addMember } from "../../../test/support/service/operations.ts";
import { makeLive, openRelease } from "../../../test/support/service/steps.ts";
import { useFunctionEnvironment, useOwner, useService } from "../../../test/support/service/suite.ts";
import { waitingNotices } from "../../../test/support/table/outbox.ts";
import { itemsOf } from "../../../test/support/table/stored.ts";
import { countCrashes } from "../functions/crashes.ts";
import { crashReport, nameOf } from "./support/operations.ts";
import { crash, goLive, hoursAgo, type NamedRelease, play } from "./support/stored-crashes.ts";

/*
 * Who is told, and how often, that the live release is clearly worse. When it is: ../contract/worse.test.ts and crashes.test.ts.
 */

const service = useService();
useFunctionEnvironment(service);
const ada = useOwner(service);

let first: NamedRelease;
let second: NamedRelease;
beforeEach(async () => {
  first = await goLive(ada);
  second = await goLive(ada);
  await play(service, ada.slug, first, 1_000);
  await play(service, ada.slug, second, 200);
  await crash(ada.slug, first, 10);
});

const worsen = () => crash(ada.slug, second, 22);
const report = async ({ name }: NamedRelease = second, site = ada.slug) =>
  await ada.send("POST", `/.well-known/svc/reports/${site}/${name}`, {
    headers: { "content-type": "application/reports+json" },
    body: JSON.stringify([crashReport]),
  });
const notices = async ({ uid }: Pick<Developer, "uid"> = ada) => {
  const all = await waitingNotices(service, accountKey(service.issuer, uid));
  return all.filter(({ type }) => type === "release_crashes_more");
};
/** Counts a crash as if it came so many hours later. */
const reportLater = async (hours: number) => {
  const one = { reason: "oom", device: "phone", engine: "chromium" } as const;
  await countCrashes({ site: ada.slug, release: second.name }, [one], hoursAgo(-hours));
};

describe("a live release that is clearly worse", () => {
  test("is told to owner, admins and webhooks with the next report, and the report counts", async () => {
    const [admin, publisher] = await Promise.all([ada.otherDeveloper(), ada.otherDeveloper()]);
    await addMember(ada, ada.slug, admin, "admin");
    await addMember(ada, ada.slug, publisher, "publisher");
    await ada.post(`/projects/${ada.slug}/webhooks`, { url: "https://hooks.example/svc" });
    await worsen();
    expect((await report()).status).toBe(204);
    const worse = { release: { id: second.id, number: 2 }, before: { id: first.id, number: 1 } };
    expect(await notices()).toMatchObject([{ project: ada.slug, worse }]);
    expect(await notices(admin)).toMatchObject([{ project: ada.slug, worse }]);
    expect(await notices(publisher)).toEqual([]);
    const events = (await itemsOf(service, "OUTBOX#WEBHOOKS")).filter(({ project }) => project === ada.slug);
    expect(events).toMatchObject([
      { type: "release_crashes_more", releaseId: second.id, release: { number: 2 }, before: worse.before },
    ]);
    const counted = (await itemsOf(service, `CRASHES#${ada.slug}`)).filter(({ hour }) => hour !== undefined);
    expect(counted.map(({ total }) => total).toSorted()).toEqual([1, 10, 22]);
  });

  test("is told once, whoever reports in which hour, also at the same time and after a roll-back", async () => {
    await worsen();
    await Promise.all([report(), report(), report(first), report(first)]);
    await reportLater(1);
    expect((await makeLive(ada, ada.slug, first.id)).status).toBe(200);
    expect((await makeLive(ada, ada.slug, second.id)).status).toBe(200);
    await reportLater(2);
    expect(await notices()).toHaveLength(1);
  });

  test("is told by a later hour's report if it was no worse before", async () => {
    await report();
    expect(await notices()).toEqual([]);
    await worsen();
    await report();
    // The crashes of an hour are judged once, so that reports cost no more than that.
    expect(await notices()).toEqual([]);
    await reportLater(1);
    expect(await notices()).toHaveLength(1);
  });

  test("is not told because a preview crashes, nor by a report that is not counted", async () => {
    const folder = { "index.html": "preview" };
    const { body } = await openRelease(ada, ada.slug, folder);
    const preview = await ada.post(`/projects/${ada.slug}/releases/${body.release.id}/preview`);
    const [label = ""] = new URL(preview.body.preview.url).hostname.split(".");
    await worsen();
    await countCrashes({ site: label, release: nameOf(folder) }, [], new Date());
    expect((await report({ id: "", name: nameOf(folder) }, label)).status).toBe(204);
    expect((await report({ id: "", name: "a".repeat(43) })).status).toBe(404);
    expect(await notices()).toEqual([]);
  });
});

test("a release that is no worse is told to nobody", async () => {
  await crash(ada.slug, second, 2);
  await report();
  expect(await notices()).toEqual([]);
});
