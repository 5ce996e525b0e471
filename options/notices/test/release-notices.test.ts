import { beforeEach, expect, test } from "@jest/globals";
import { accountKey } from "../../../functions/table/keys.ts";
import { actorsOf, type Developer } from "../../../test/support/service/actors.ts";
import { addMember } from "../../../test/support/service/operations.ts";
import { makeLive, newProject, publish } from "../../../test/support/service/steps.ts";
import { useService } from "../../../test/support/service/suite.ts";
import { waitingNotices } from "../../../test/support/table/outbox.ts";
import type { Notice } from "../contract/notice.ts";
import { deliverNotices } from "../functions/delivery.ts";
import { documentedNotice } from "./support/documented-notice.ts";
import { useMails } from "./support/mails.ts";

/* Changes of releases: who hears of them, in how many mails, and with which words. */

const service = useService();
const actors = actorsOf(service);
const { mail, mailsTo } = useMails(service);
const minute = 60_000;

/** Notices about releases that leave the table at a time. */
async function deliveredAt(now: Date): Promise<Notice[]> {
  const taken: Notice[] = [];
  const send = async (notices: readonly Notice[]) => {
    taken.push(...notices);
    return new Set<string>();
  };
  await deliverNotices({ send, now, hasTime: () => true });
  return taken.filter(({ type }) => type === "project_releases_changed");
}

const delivered = () => deliveredAt(new Date(Date.now() + 11 * minute));
const to = ({ uid }: Developer, notices: readonly Notice[]) => notices.filter(({ account }) => account.uid === uid);
const changesFor = (person: Developer, notices: readonly Notice[]) =>
  to(person, notices).flatMap(({ changes = [] }) => changes);

let ada: Developer;
let slug: string;

beforeEach(async () => {
  ada = await actors.developer();
  slug = await newProject(ada);
});

test("owner and admins hear of each change of a release, publishers and others of none", async () => {
  const [grace, joan] = [await ada.otherDeveloper(), await ada.otherDeveloper()];
  await addMember(ada, slug, grace, "admin");
  await addMember(ada, slug, joan, "publisher");
  const token = await ada.token({ name: "build server" });
  const first = await publish(token, slug, { "index.html": "1" });
  const second = await publish(grace, slug, { "index.html": "2" });
  await makeLive(token, slug, first);
  await grace.post(`/projects/${slug}/releases/${second}/withdraw`);
  await ada.post(`/projects/${slug}/unpublish`);
  const notices = await delivered();
  const told = [
    ["release_published", "publication", "build server", 1, "token"],
    ["release_published", "publication", undefined, 2, "session"],
    ["release_published", "roll_back", "build server", 1, "token"],
    ["release_withdrawn", undefined, undefined, 2, "session"],
    ["release_unpublished", undefined, undefined, 1, "session"],
  ];
  for (const person of [ada, grace])
    expect(
      changesFor(person, notices).map(({ type, act, token_name, release, credential }) => [
        type,
        act,
        token_name,
        release.number,
        credential,
      ]),
    ).toEqual(told);
  expect(changesFor(ada, notices).map(({ by, own }) => [by?.uid, own])).toEqual([
    ...[
      [ada.uid, false],
      [grace.uid, false],
      [ada.uid, false],
      [grace.uid, false],
    ],
    [ada.uid, true],
  ]);
  expect(to(joan, notices)).toEqual([]);
  for (const notice of notices) documentedNotice.parse(notice);
});

test("what happens in the same ten minutes is one notice, sent when they are over", async () => {
  const key = accountKey(service.issuer, ada.uid);
  for (const text of ["1", "2", "3"]) await publish(ada, slug, { "index.html": text });
  const waiting = (await waitingNotices(service, key)).filter(({ type }) => type === "project_releases_changed");
  expect(waiting).toHaveLength(3);
  const times = [...new Set(waiting.map((item) => String(item["at"])))];
  for (const time of times) expect(Date.parse(time) % (10 * minute)).toBe(0);
  expect(to(ada, await deliveredAt(new Date(Date.parse(times[0] ?? "") - 1)))).toEqual([]);
  const notices = to(ada, await delivered());
  expect(notices.map(({ at }) => at)).toEqual(times);
  expect(notices.flatMap(({ changes = [] }) => changes).map(({ release }) => release.number)).toEqual([1, 2, 3]);
  expect(to(ada, await delivered())).toEqual([]);
});

test("who switches them off gets no mail about releases, other mails stay, and each person decides alone", async () => {
  const grace = await ada.otherDeveloper();
  await addMember(ada, slug, grace, "admin");
  const { status, body } = await ada.patch("/me", { release_mails: false });
  expect([status, body.user.release_mails]).toEqual([200, false]);
  expect((await ada.get(`/users/${ada.uid}`)).body).not.toHaveProperty("release_mails");
  const token = await ada.token();
  await publish(token, slug, { "index.html": "1" });
  const notices = await delivered();
  const [before, others] = [mailsTo(ada).length, mailsTo(grace).length];
  await mail(...to(ada, notices), ...to(grace, notices));
  expect([mailsTo(ada).length - before, mailsTo(grace).length - others]).toEqual([0, 1]);
  await ada.patch("/me", { release_mails: true });
  await mail(...to(ada, notices));
  expect(mailsTo(ada).length - before).toBe(1);
  expect(mailsTo(ada).at(-1)?.text).toContain("on the account page switches these mails off");
});

test("if the bus refuses it, all of it waits", async () => {
  for (const text of ["1", "2"]) await publish(ada, slug, { "index.html": text });
  const now = new Date(Date.now() + 11 * minute);
  await deliverNotices({ send: async (all) => new Set(all.map(({ id }) => id)), now, hasTime: () => true });
  expect(changesFor(ada, await deliveredAt(now)).map(({ release }) => release.number)).toEqual([1, 2]);
});

test("a mail names who, by which credential, and leads to the releases; own acts in the dashboard have none", async () => {
  const grace = await ada.otherDeveloper();
  await addMember(ada, slug, grace, "admin");
  const token = await ada.token({ name: "CI <evil.example>" });
  await publish(token, slug, { "index.html": "1" });
  await ada.post(`/projects/${slug}/unpublish`);
  const notices = await delivered();
  const before = mailsTo(ada).length;
  await mail(...to(ada, notices), ...to(grace, notices));
  const own = mailsTo(ada)
    .slice(before)
    .map(({ text }) => text)
    .join("\n");
  expect(own).toMatch(
    /UTC: Release published: #1, by "Ada Lovelace", with the token "CI _evil_example_", by another program/,
  );
  expect(own).toContain(`https://dashboard.example.com/projects/${slug}/releases`);
  expect(own).not.toContain("taken offline");
  const others = mailsTo(grace)
    .map(({ text }) => text)
    .join("\n");
  expect(others).toMatch(/UTC: Project taken offline: #1, by "Ada Lovelace", in the dashboard/);
  const changes = changesFor(ada, notices).filter((change) => change.own);
  const [notice] = to(ada, notices);
  const count = mailsTo(ada).length;
  if (notice) await mail({ ...notice, id: "only-own", changes });
  expect(mailsTo(ada)).toHaveLength(count);
});
