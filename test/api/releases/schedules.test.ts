import { describe, expect, test } from "@jest/globals";
import { suspendAccount, suspendProject } from "../../../functions/domain/accounts/suspensions.ts";
import { publishScheduled } from "../../../functions/domain/releases/scheduling.ts";
import { accountKey, keys, schedulePartition } from "../../../functions/table/keys.ts";
import type { Actor } from "../../support/service/actors.ts";
import { useJobs } from "../../support/service/jobs.ts";
import { ownedProject } from "../../support/service/owned-project.ts";
import { publishScheduledAt, secondsAfter } from "../../support/service/scheduled.ts";
import { liveRelease, makeLive, minutesAhead, publish, readyRelease } from "../../support/service/steps.ts";
import { waitingNotices } from "../../support/table/outbox.ts";
import { itemsOf, setAttribute, storedItem } from "../../support/table/stored.ts";

/*
 * A release that goes live by itself at a time: who may schedule it, what ends that, and what happens at the time.
 */
const { service, actors, ada, path, trustGitHub, githubJob, tokenOf } = useJobs();

const { join } = ownedProject(service, ada);
const at = minutesAhead(30);
const schedule = (caller: Actor, id: string, body: object = {}) =>
  caller.post(path(`releases/${id}/schedule`), { at, ...body });
const scheduled = async () => (await ada.get("/projects")).body.projects.find(isAda)?.schedule;
const isAda = ({ slug }: { slug: string }) => slug === ada.slug;
const newestEvent = async () => (await ada.get(path("events"))).body.events[0];
const due = async () => (await itemsOf(service, schedulePartition)).filter(isAda as never);
const live = () => liveRelease(ada, ada.slug);

describe("a scheduled release", () => {
  test("is shown in the project and the release, and told to the owner", async () => {
    const id = await readyRelease(ada, ada.slug, "1");
    const by = { uid: ada.uid, name: "Ada Lovelace", token: null };
    expect(await schedule(ada, id)).toMatchObject({ status: 200, body: { id, status: "open", schedule: { at, by } } });
    expect(await scheduled()).toEqual({ release: id, at });
    expect((await actors.anonymous.get(`/projects/${ada.slug}`)).body.schedule).toBeNull();
    expect(await newestEvent()).toMatchObject({ type: "release_scheduled", release_id: id, scheduled_for: at });
    const told = await waitingNotices(service, accountKey(service.issuer, ada.uid));
    expect(told.at(-1)).toMatchObject({ change: { type: "release_scheduled", credential: "session" } });
  });

  test("is kept until a day after its time, though an open one expires after a week", async () => {
    const id = await readyRelease(ada, ada.slug, "1");
    const late = minutesAhead(60 * 24 * 89);
    await schedule(ada, id, { at: late });
    const ttl = Date.parse(late) / 1_000 + 86_400;
    expect(await storedItem(service, keys.release(ada.slug, id))).toMatchObject({ ttl });
  });

  test("goes live at its time and not before, and is scheduled no more", async () => {
    const id = await readyRelease(ada, ada.slug, "1");
    await schedule(ada, id);
    await publishScheduledAt(secondsAfter(at, -1));
    expect(await live()).toBeUndefined();
    const now = secondsAfter(at, 59);
    await publishScheduledAt(now);
    expect((await ada.get(path(`releases/${id}`))).body).toMatchObject({
      ...{ status: "live", number: 1, schedule: null, published_at: now.toISOString() },
      published_by: { uid: ada.uid, token: null },
    });
    expect(await newestEvent()).toMatchObject({ type: "release_published", act: "publication" });
    expect([await scheduled(), await due()]).toEqual([null, []]);
  });

  test("is waited for by a run that begins before its time", async () => {
    const id = await readyRelease(ada, ada.slug, "1");
    await schedule(ada, id);
    const waits: string[] = [];
    let now = secondsAfter(at, -30);
    const waitUntil = async (time: Date) => {
      if (time > now) now = time;
      waits.push(time.toISOString());
    };
    await publishScheduled(secondsAfter(at, 10), { now: () => now, waitUntil });
    expect(waits).toContain(at);
    expect((await ada.get(path(`releases/${id}`))).body.published_at).toBe(at);
  });

  test("goes live once, though two runs are at work", async () => {
    const id = await readyRelease(ada, ada.slug, "1");
    await schedule(ada, id);
    await Promise.all([1, 2, 3].map((second) => publishScheduledAt(secondsAfter(at, second))));
    expect(await live()).toBe(id);
    const { events } = (await ada.get(path("events"))).body;
    expect(events.filter(({ type }: { type: string }) => type === "release_published")).toHaveLength(1);
  });

  test("does not go live more than a minute late: its schedule ends, which the owner is told", async () => {
    await schedule(ada, await readyRelease(ada, ada.slug, "1"));
    await publishScheduledAt(secondsAfter(at, 61));
    expect([await live(), await scheduled(), await due()]).toEqual([undefined, null, []]);
    expect(await newestEvent()).toMatchObject({ type: "schedule_ended", schedule_end: "too_late" });
    const told = await waitingNotices(service, accountKey(service.issuer, ada.uid));
    expect(told.map(({ change }) => change)).toContainEqual(
      expect.objectContaining({ type: "schedule_ended", credential: "service" }),
    );
  });

  test("takes the place of the one before", async () => {
    const [first, second] = [await readyRelease(ada, ada.slug, "1"), await readyRelease(ada, ada.slug, "2")];
    await schedule(ada, first);
    await schedule(ada, second, { at: minutesAhead(31) });
    expect((await ada.get(path(`releases/${first}`))).body.schedule).toBeNull();
    expect(await due()).toHaveLength(1);
    await publishScheduledAt(secondsAfter(minutesAhead(31), 10));
    expect(await live()).toBe(second);
  });

  test("is cancelled, once", async () => {
    const id = await readyRelease(ada, ada.slug, "1");
    await schedule(ada, id);
    const cancel = () => ada.delete(path(`releases/${id}/schedule`));
    expect(await cancel()).toMatchObject({ status: 200, body: { id, schedule: null } });
    expect(await newestEvent()).toMatchObject({ type: "schedule_cancelled", release_id: id });
    expect([await scheduled(), await due()]).toEqual([null, []]);
    const before = (await ada.get(path("events"))).body.events.length;
    expect(await cancel()).toMatchObject({ status: 200 });
    expect((await ada.get(path("events"))).body.events).toHaveLength(before);
  });
});

describe("a release is not scheduled", () => {
  const invalid = { status: 422, body: { code: "schedule_invalid" } };
  test("for a time that is over or now, for more than 90 days, or for a time with seconds", async () => {
    const id = await readyRelease(ada, ada.slug, "1");
    const withSeconds = minutesAhead(5).replace(":00.000Z", ":30Z");
    for (const time of [minutesAhead(-1), minutesAhead(0), minutesAhead(90 * 24 * 60 + 2), withSeconds])
      expect(await schedule(ada, id, { at: time })).toMatchObject(invalid);
    expect(await scheduled()).toBeNull();
  });

  test("by a token that expires before", async () => {
    const id = await readyRelease(ada, ada.slug, "1");
    const token = await ada.token({ expires_in_days: 1 });
    expect(await schedule(token, id, { at: minutesAhead(24 * 60 + 2) })).toMatchObject(invalid);
    expect(await schedule(token, id, { at: minutesAhead(24 * 60 - 2) })).toMatchObject({ status: 200 });
  });

  test("by a CI job, whose token is over by then", async () => {
    await trustGitHub();
    const id = await readyRelease(ada, ada.slug, "1");
    expect(await schedule(await tokenOf(githubJob()), id)).toMatchObject({ status: 403 });
  });

  test("if it is live, deleted or incomplete, or another one is live than expected", async () => {
    const first = await publish(ada, ada.slug, { "index.html": "1" });
    const second = await publish(ada, ada.slug, { "index.html": "2" });
    expect(await schedule(ada, second)).toMatchObject({ status: 409, body: { code: "release_live" } });
    expect(await schedule(ada, first, { expect_current: first })).toMatchObject({ status: 412 });
    const files = [{ path: "index.html", size: 3, sha256: "0".repeat(64) }];
    const { id } = (await ada.post(path("releases"), { files })).body.release;
    expect(await schedule(ada, id)).toMatchObject({ status: 409, body: { code: "release_incomplete" } });
    await ada.post(path(`releases/${first}/withdraw`));
    expect(await schedule(ada, first)).toMatchObject({ status: 409, body: { code: "release_withdrawn" } });
  });
});

describe("a schedule ends", () => {
  /** With a live release, and one that is scheduled. @returns the id of this one */
  async function scene(body: object = {}) {
    await publish(ada, ada.slug, { "index.html": "2" });
    const id = await readyRelease(ada, ada.slug, "3");
    expect((await schedule(ada, id, body)).status).toBe(200);
    return id;
  }
  const endedBy = async (end: string) => {
    expect(await scheduled()).toBeNull();
    const { events } = (await ada.get(path("events"))).body;
    const ends = events.filter(({ type }: { type: string }) => type === "schedule_ended");
    expect(ends).toMatchObject([{ schedule_end: end }]);
  };

  test("with another publication, which says so", async () => {
    const id = await scene();
    const other = await makeLive(ada, ada.slug, await readyRelease(ada, ada.slug, "4"));
    expect(other.body.ended_schedule).toEqual({ release: id, at });
    await endedBy("another_release_live");
    await publishScheduledAt(secondsAfter(at, 1));
    expect([await live(), await due()]).toEqual([other.body.release.id, []]);
  });

  test("with a roll-back, also one that stays despite changes", async () => {
    const earlier = await publish(ada, ada.slug, { "index.html": "1" });
    const id = await scene({ despite_changes: true });
    const rolledBack = await makeLive(ada, ada.slug, earlier);
    expect(rolledBack.body.ended_schedule).toEqual({ release: id, at });
    await endedBy("another_release_live");
  });

  test("not with another publication if it stays despite changes", async () => {
    const id = await scene({ despite_changes: true });
    const other = await makeLive(ada, ada.slug, await readyRelease(ada, ada.slug, "4"));
    expect(other.body.ended_schedule).toBeNull();
    await publishScheduledAt(secondsAfter(at, 1));
    expect(await live()).toBe(id);
  });

  test("without a word when its release goes live before", async () => {
    const id = await scene();
    expect((await makeLive(ada, ada.slug, id)).body.ended_schedule).toBeNull();
    expect([await scheduled(), (await newestEvent()).type]).toEqual([null, "release_published"]);
  });

  test("when the project is taken offline", async () => {
    await scene();
    await ada.post(path("unpublish"));
    await endedBy("taken_offline");
  });

  test("when its release is deleted, an open one or one that was live", async () => {
    const id = await scene();
    await ada.post(path(`releases/${id}/withdraw`));
    await endedBy("release_deleted");
  });

  test("when the release is deleted that was live before", async () => {
    const earlier = await publish(ada, ada.slug, { "index.html": "1" });
    await scene();
    await schedule(ada, earlier);
    await ada.post(path(`releases/${earlier}/withdraw`));
    await endedBy("release_deleted");
  });

  test("when the project is deleted, also if it is restored", async () => {
    const id = await scene();
    await ada.delete(`/projects/${ada.slug}`);
    await ada.post(path("restore"));
    expect(await scheduled()).toBeNull();
    await publishScheduledAt(secondsAfter(at, 1));
    expect(await live()).not.toBe(id);
  });
});

describe("at its time a release does not go live", () => {
  const now = secondsAfter(at, 1);
  const endsWith = async (end: string, time = now) => {
    await publishScheduledAt(time);
    expect(await live()).toBeUndefined();
    expect(await newestEvent()).toMatchObject({ type: "schedule_ended", schedule_end: end });
  };

  test("by a token that was revoked", async () => {
    const token = await ada.token();
    await schedule(token, await readyRelease(ada, ada.slug, "1"));
    await ada.delete(`/tokens/${token.id}`);
    await endsWith("right_ended");
  });

  test("by a token that has expired", async () => {
    const token = await ada.token();
    await schedule(token, await readyRelease(ada, ada.slug, "1"));
    const key = keys.token(accountKey(service.issuer, ada.uid), token.id);
    await setAttribute(service, key, "expiresAt", at);
    await endsWith("right_ended");
  });

  test("by a token, if the project takes none any more", async () => {
    await schedule(await ada.token(), await readyRelease(ada, ada.slug, "1"));
    await ada.patch(`/projects/${ada.slug}`, { refuse_tokens: true });
    await endsWith("right_ended");
  });

  test("by a member who was removed, or by one of their tokens", async () => {
    const grace = await ada.otherDeveloper();
    await join(grace, "publisher");
    await schedule(grace, await readyRelease(ada, ada.slug, "1"));
    const { members } = (await ada.get(path("members"))).body;
    await ada.delete(path(`members/${members[1].id}`));
    await endsWith("right_ended");
  });

  test("by an account that is suspended, or in a project that is", async () => {
    const grace = await ada.otherDeveloper();
    await join(grace, "publisher");
    await schedule(grace, await readyRelease(ada, ada.slug, "1"));
    await suspendAccount(accountKey(service.issuer, grace.uid), "spam", new Date());
    await endsWith("right_ended");
    await schedule(ada, await readyRelease(ada, ada.slug, "2"));
    await suspendProject(ada.slug, "spam", new Date());
    // Of two events of one moment either is the newest.
    await endsWith("project_suspended", secondsAfter(at, 2));
  });

  test("by whom a person must agree since then", async () => {
    await schedule(ada, await readyRelease(ada, ada.slug, "1"));
    await ada.patch(`/projects/${ada.slug}`, { person_makes_live: true });
    await endsWith("person_required");
  });

  test("though a person makes live, who has just signed in agreed", async () => {
    await ada.patch(`/projects/${ada.slug}`, { person_makes_live: true });
    const id = await readyRelease(ada, ada.slug, "1");
    const late = await actors.stranger({ sub: ada.uid, auth_time: Math.floor(Date.now() / 1_000) - 910 });
    expect(await schedule(late, id)).toMatchObject({ status: 401, body: { code: "recent_sign_in_required" } });
    expect(await schedule(await ada.token(), id)).toMatchObject({ status: 403, body: { code: "person_required" } });
    expect(await schedule(ada, id)).toMatchObject({ status: 200 });
    await publishScheduledAt(now);
    expect(await live()).toBe(id);
  });
});
