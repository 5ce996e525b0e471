import { describe, expect, test } from "@jest/globals";
import type { Route } from "../../../contract/api/route.ts";
import { accountKey, keys } from "../../../functions/table/keys.ts";
import { type RouteName, routes } from "../../support/routes.ts";
import type { Actor } from "../../support/service/actors.ts";
import { useJobs } from "../../support/service/jobs.ts";
import { operations, perform, withProject } from "../../support/service/operations.ts";
import { overtakenBy } from "../../support/service/overtaken.ts";
import { ownedProject } from "../../support/service/owned-project.ts";
import { liveRelease, makeLive, publish, readyRelease } from "../../support/service/steps.ts";
import { waitingNotices } from "../../support/table/outbox.ts";
import { setAttribute, storedItem } from "../../support/table/stored.ts";
import { storedProject } from "../../support/table/stored-project.ts";
import { time } from "../../support/wire-time.ts";

/*
 * A project in which a person makes live: what tokens and CI jobs publish waits, and only who has just signed in changes what players get.
 */
const { service, actors, ada, path, trustGitHub, githubJob, tokenOf } = useJobs();

const { join } = ownedProject(service, ada);
const secondsAgo = (seconds: number) => Math.floor(Date.now() / 1_000) - seconds;
const signedIn = (seconds: number | null) =>
  actors.stranger({ sub: ada.uid, auth_time: seconds === null ? null : secondsAgo(seconds) });
const demand = (caller: Actor, isDemanded = true) =>
  caller.patch(`/projects/${ada.slug}`, { person_makes_live: isDemanded });
const personRequired = { status: 403, body: { code: "person_required" } };
const signInRequired = { status: 401, body: { code: "recent_sign_in_required" } };
const eventTypes = async () =>
  (await ada.get(path("events"))).body.events.map(({ type }: { type: string }) => type) as string[];

describe("the switch", () => {
  test("is off at first, and each change of it is an event and a notice to everybody of the project", async () => {
    const members = await Promise.all([ada.otherDeveloper(), ada.otherDeveloper()]);
    await join(members[0], "admin");
    await join(members[1], "publisher");
    expect((await actors.anonymous.get(`/projects/${ada.slug}`)).body.person_makes_live).toBe(false);
    expect(await demand(ada)).toMatchObject({ status: 200, body: { person_makes_live: true } });
    expect(await demand(ada)).toMatchObject({ status: 200 });
    expect(await ada.patch(`/projects/${ada.slug}`, { name: "Game", person_makes_live: false })).toMatchObject({
      status: 200,
    });
    expect((await eventTypes()).slice(0, 3).toSorted()).toEqual([
      ...["person_no_longer_required", "person_required", "project_edited"],
    ]);
    const told = ["person_required", "person_no_longer_required"];
    for (const { uid } of [ada, ...members]) {
      const notices = await waitingNotices(service, accountKey(service.issuer, uid));
      const ofSwitch = notices.filter(({ type }) => told.includes(type as string));
      expect(ofSwitch).toMatchObject(told.map((type) => ({ type, project: ada.slug })));
    }
  });

  test.each([901, null])(
    "is not set by a person who signed in %s seconds ago, and so cannot lock itself",
    async (seconds) => {
      expect(await demand(await signedIn(seconds))).toMatchObject(signInRequired);
      expect(await demand(await signedIn(890))).toMatchObject({ status: 200 });
      expect(await demand(await signedIn(seconds), false)).toMatchObject(signInRequired);
      expect((await ada.get(`/projects/${ada.slug}`)).body.person_makes_live).toBe(true);
    },
  );

  test.each([true, false])("is no token's to set to %s", async (isDemanded) => {
    const token = await ada.token({ scopes: ["projects"] });
    expect(await demand(token, isDemanded)).toMatchObject({ status: 403, body: { code: "session_required" } });
  });
});

describe("the release of a token", () => {
  test("waits: it is complete, players keep what is live, and the owner and admins are told", async () => {
    const [admin, publisher] = await Promise.all([ada.otherDeveloper(), ada.otherDeveloper()]);
    await join(admin, "admin");
    await join(publisher, "publisher");
    const live = await publish(ada, ada.slug, { "index.html": "1" });
    await demand(ada);
    const token = await ada.token();
    const id = await readyRelease(token, ada.slug, "2");
    const before = (await storedProject(service, ada.slug)).items["PROJECT"];
    const { status, body } = await makeLive(token, ada.slug, id, { expect_current: live });
    expect(status).toBe(202);
    const by = { uid: ada.uid, name: "Ada Lovelace", token: { id: token.id, name: "a token" } };
    expect(body).toEqual({
      release: expect.objectContaining({ id, status: "open", number: null, waiting: { since: time, by } }),
      ...{ previous_release: null, ended_schedule: null, edge: null },
      review_url: new URL(`/projects/${ada.slug}/releases/${id}`, service.dashboard).href,
    });
    const { items } = await storedProject(service, ada.slug);
    expect(items["PROJECT"]).toEqual(before);
    expect(items[`RELEASE#${id}`]).toMatchObject({
      ttl: expect.any(Number),
      waiting: { since: body.release.waiting.since },
    });
    expect(await eventTypes()).toContain("release_waiting");
    const told = async (uid: string) =>
      (await waitingNotices(service, accountKey(service.issuer, uid))).filter(({ type }) => type === "release_waiting");
    expect(await told(ada.uid)).toMatchObject([{ project: ada.slug, tokenId: token.id }]);
    expect(await told(admin.uid)).toHaveLength(1);
    expect(await told(publisher.uid)).toEqual([]);
  });

  test("waits once: a request that is sent again tells nobody twice and keeps since when it waits", async () => {
    await demand(ada);
    const token = await ada.token();
    const id = await readyRelease(token, ada.slug, "1");
    const { body } = await makeLive(token, ada.slug, id);
    const before = await eventTypes();
    expect(await makeLive(token, ada.slug, id)).toMatchObject({ status: 202, body });
    expect(await eventTypes()).toEqual(before);
  });

  test("waits beside another one, of which neither goes live by itself, also once the switch is off", async () => {
    await demand(ada);
    const token = await ada.token();
    for (const page of ["1", "2"]) await makeLive(token, ada.slug, await readyRelease(token, ada.slug, page));
    await demand(ada, false);
    const { releases } = (await ada.get(path("releases"))).body;
    expect(releases).toMatchObject([{ waiting: { since: time } }, { waiting: { since: time } }]);
    expect(await liveRelease(ada, ada.slug)).toBeUndefined();
  });

  test("goes live by a person who has just signed in, and waits no longer", async () => {
    await demand(ada);
    const token = await ada.token();
    const id = await readyRelease(token, ada.slug, "1");
    await makeLive(token, ada.slug, id);
    expect(await makeLive(await signedIn(910), ada.slug, id)).toMatchObject(signInRequired);
    const { status, body } = await makeLive(await signedIn(890), ada.slug, id);
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { release: { status: "live", waiting: null, published_by: { token: null } }, review_url: null },
    });
    expect((await storedProject(service, ada.slug)).items[`RELEASE#${id}`]).not.toHaveProperty("waiting");
    // Nothing of what players get changes by this.
    expect(await makeLive(token, ada.slug, id)).toMatchObject({ status: 200 });
  });

  test("does not wait if files are missing, another release is live than it expects, or it was live once", async () => {
    const first = await publish(ada, ada.slug, { "index.html": "1" });
    const second = await publish(ada, ada.slug, { "index.html": "2" });
    await demand(ada);
    const token = await ada.token();
    const files = [{ path: "index.html", size: 3, sha256: "0".repeat(64) }];
    const { id } = (await token.post(path("releases"), { files })).body.release;
    expect(await makeLive(token, ada.slug, id)).toMatchObject({ status: 409, body: { code: "release_incomplete" } });
    const third = await readyRelease(token, ada.slug, "3");
    const outdated = { status: 412, body: { code: "current_release_changed" } };
    expect(await makeLive(token, ada.slug, third, { expect_current: first })).toMatchObject(outdated);
    expect(await makeLive(token, ada.slug, first)).toMatchObject(personRequired);
    expect(await liveRelease(ada, ada.slug)).toBe(second);
    expect((await ada.get(path(`releases/${third}`))).body.waiting).toBeNull();
  });

  test("is withdrawn as any that is open", async () => {
    await demand(ada);
    const token = await ada.token();
    const id = await readyRelease(token, ada.slug, "1");
    await makeLive(token, ada.slug, id);
    expect((await ada.post(path(`releases/${id}/withdraw`))).status).toBe(200);
    expect(await makeLive(ada, ada.slug, id)).toMatchObject({ status: 404 });
  });
});

test("the release of a CI job waits too", async () => {
  await trustGitHub();
  await demand(ada);
  const job = await tokenOf(githubJob());
  const id = await readyRelease(job, ada.slug, "1");
  expect(await makeLive(job, ada.slug, id)).toMatchObject({
    status: 202,
    body: { release: { waiting: { by: { uid: ada.uid, token: null } } } },
  });
  expect(await liveRelease(ada, ada.slug)).toBeUndefined();
});

describe("a change that is under way when the switch is set", () => {
  const changes = (Object.keys(routes) as RouteName[]).filter((name) => {
    const { personMakesLive: demand } = routes[name] as Route;
    return demand === "session" || demand === "waits";
  });
  /** Sets the switch as somebody else does who has the right, in whichever project the operation names. */
  const setSwitch = async (operationPath: string) => {
    const slug = operationPath.split("/")[2] ?? "";
    await setAttribute(service, keys.project(slug), "personMakesLive", true);
  };

  test.each(changes)("%s of a person whose sign-in is old is refused", async (name) => {
    const owner = await withProject(await actors.developer());
    const late = await actors.stranger({ sub: owner.uid, auth_time: secondsAgo(910) });
    const operation = await operations[name](owner);
    const response = await overtakenBy(service)(
      () => perform(late, operation),
      () => setSwitch(operation.path),
    );
    expect(response).toMatchObject(signInRequired);
    expect((await perform(owner, operation)).status).toBeLessThan(300);
  });

  test("a publication by a token waits", async () => {
    const token = await ada.token();
    await token.get("/me");
    const id = await readyRelease(ada, ada.slug, "1");
    const response = await overtakenBy(service)(
      () => makeLive(token, ada.slug, id),
      () => setAttribute(service, keys.project(ada.slug), "personMakesLive", true),
    );
    expect(response.status).toBe(202);
  });

  test("and of a token whose release would wait: it waits no longer than the switch is on", async () => {
    await demand(ada);
    const token = await ada.token();
    const id = await readyRelease(token, ada.slug, "1");
    const response = await overtakenBy(service)(
      () => makeLive(token, ada.slug, id),
      () => setAttribute(service, keys.project(ada.slug), "personMakesLive", false),
    );
    expect(response).toMatchObject({ status: 200 });
    expect(await storedItem(service, keys.release(ada.slug, id))).not.toHaveProperty("waiting");
  });
});
