import { expect, test } from "@jest/globals";
import { limits } from "../../../contract/api/limits.ts";
import type { Project, Schedule } from "../../entities/project.ts";
import type { SweptRelease } from "../../table/sweep/object-items.ts";
import { isClosedForGood, referencedManifests, releasesToEnd } from "./retention.ts";

/* Releases that a sweep ends, to the millisecond. */

const now = new Date("2026-06-01T12:00:00.000Z");
const [hour, day] = [3_600_000, 86_400_000];
const ago = (milliseconds: number) => new Date(now.getTime() - milliseconds).toISOString();
const retention = { releases: 2, days: 90 };
const old = ago(400 * day);

function published(id: string, publishedAt: string, more: Partial<SweptRelease> = {}): SweptRelease {
  return { id, manifest: `manifest of ${id}`, publishedAt, ...more };
}

function ended(releases: readonly SweptRelease[], project: Partial<Project> = {}): string[] {
  const live = { currentRelease: { id: "live" } };
  return releasesToEnd({ ...live, ...project } as Project, releases, retention, now).map(({ id }) => id);
}

test.each([
  ["exactly 90 days ago is kept", 90 * day, []],
  ["a millisecond longer ago is ended", 90 * day + 1, ["first"]],
])("of three releases the one that was replaced %s, however long ago it went live", (_, replaced, expected) => {
  const second = published("second", ago(replaced));
  expect(ended([second, published("live", ago(1)), published("first", old)])).toEqual(expected);
});

test("the latest releases are kept, in the order in which they went live, and the live one beside them", () => {
  const releases = ["live", "b", "c", "d", "e"].map((id, index) => published(id, ago((500 - index) * day)));
  expect(ended(releases)).toEqual(["c", "b"]);
  expect(ended(releases.toReversed())).toEqual(["c", "b"]);
  const open = { id: "open", manifest: "open", ttl: now.getTime() / 1_000 };
  expect(ended([...releases, open])).toEqual(["c", "b"]);
});

test("an earlier release is kept as long as it has a preview or a schedule, and no other with it", () => {
  const releases = ["live", "b", "c", "d"].map((id, index) => published(id, ago((500 - index) * day)));
  const preview = (releaseId: string, seconds: number) => ({
    releaseId,
    manifest: releaseId,
    openedAt: "",
    expiresAt: now.getTime() / 1_000 + seconds,
  });
  expect(ended(releases)).toEqual(["b"]);
  expect(ended(releases, { previews: [preview("c", 1), preview("b", 1)] })).toEqual([]);
  expect(ended(releases, { previews: [preview("c", 1), preview("b", 0)] })).toEqual(["b"]);
  const scheduled = (releaseId: string) => ended(releases, { schedule: { releaseId } as Schedule });
  expect([scheduled("b"), scheduled("c")]).toEqual([[], ["b"]]);
});

test("an open release is ended when its upload URLs have been invalid for a second", () => {
  const open = (id: string, secondsAgo: number) => ({
    id,
    manifest: id,
    ttl: now.getTime() / 1_000 - limits.uploadUrlLifetimeSeconds - secondsAgo,
  });
  expect(ended([open("usable", -1), open("just ended", 0), open("ended", 1)])).toEqual(["ended"]);
});

test("nothing with the files of a withdrawn release is kept, and its item goes last, 90 days after it was withdrawn", () => {
  const manifest = "withdrawn";
  const twin = published("twin", ago(1), { manifest });
  const withdrawn = (id: string, milliseconds: number) =>
    published(id, old, { manifest, withdrawnAt: ago(milliseconds) });
  const releases = [withdrawn("before", 90 * day + 1), withdrawn("at", 90 * day), twin, published("live", ago(2))];
  expect(ended(releases)).toEqual(["twin", "before"]);
  expect(referencedManifests(releases)).toEqual(new Set(["manifest of live"]));
});

test.each([
  ["with deltas", { filesDigest: "files" }, { manifest: "files" }],
  ["without deltas", { manifest: "files" }, { filesDigest: "files" }],
  ["with other deltas", { filesDigest: "files" }, { filesDigest: "files" }],
])("so is nothing of its files %s", (_, withdrawn, twin) => {
  const releases = [
    published("withdrawn", ago(3), { ...withdrawn, withdrawnAt: ago(1) }),
    published("twin", ago(2), twin),
    published("live", ago(1)),
  ];
  expect(ended(releases)).toEqual(["twin"]);
  expect(referencedManifests(releases)).toEqual(new Set(["manifest of live"]));
});

test("of a deleted project whose sweep has begun nothing is kept", () => {
  const releases = [published("live", ago(1)), published("second", ago(2))];
  expect(ended(releases, { sweepBegunAt: ago(1) })).toEqual(["live", "second"]);
});

const closed = limits.projectRestoreDays * day + hour;
const suspension = { at: old, reason: "spam" } as const;
test.each<[string, Partial<Project>, boolean]>([
  ["is not deleted", {}, false],
  ["could be restored until an hour ago", { deletedAt: ago(closed) }, false],
  ["could be restored until longer ago", { deletedAt: ago(closed + 1) }, true],
  ["is suspended", { deletedAt: old, suspension }, false],
  ["was taken down", { deletedAt: old, suspension: { ...suspension, isTakedown: true } }, true],
])("whether a project that %s is swept whole", (_, project, expected) => {
  expect(isClosedForGood(project as Project, now)).toBe(expected);
});
