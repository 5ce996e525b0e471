import { describe, expect, test } from "@jest/globals";
import { limits } from "../../contract/api/limits.ts";
import type { Project } from "../pages/respond-early.ts";
import { chooseReleases } from "../visit/visit.ts";
import {
  digestOf,
  marksOf,
  parsePointer,
  parsePreview,
  pointerBytes,
  pointerValue,
  previewKey,
  previewValue,
  releaseName,
  slugOfKey,
  unpublishedPointer,
} from "./pointer.ts";

const digest = (digit: string) => digit.repeat(43);
const live: Project = {
  kind: "live",
  live: digest("a"),
  earlier: [digest("1"), digest("2")],
  ownedSince: "mh3k2p1a",
};

describe("a project's value in the store", () => {
  test.each<[string, Project, string | undefined]>([
    ["nothing for a project that is not there", { kind: "none" }, undefined],
    ["that nothing is live", { kind: "unpublished", text: "" }, "u"],
    ["why nothing can be played", { kind: "unpublished", text: "Back on 1 December." }, "uBack on 1 December."],
    ["that it is taken down", { kind: "takenDown" }, "s"],
    ["what is live", { kind: "live", live: digest("a"), earlier: [] }, `l.${digest("a")}...`],
    ["earlier releases and the owner's time", live, `l.${digest("a")}.${digest("1")}${digest("2")}.mh3k2p1a.`],
    [
      "the release before",
      { ...live, fallback: digest("1") },
      `l.${digest("a")}.${digest("1")}${digest("2")}.mh3k2p1a.1`,
    ],
  ])("says %s, and is read back", (_, project, value) => {
    expect(pointerValue(project)).toBe(value);
    const read = parsePointer(value);
    expect(read.kind).toBe(project.kind);
    expect(pointerValue(read)).toBe(value);
  });

  test("has the marks of what the project does without, which change nothing else", () => {
    for (const [value, plain] of [
      [pointerValue(live, "rs"), pointerValue(live)],
      [pointerValue({ ...live, earlier: [] }, "r"), pointerValue({ ...live, earlier: [] })],
    ]) {
      expect(parsePointer(value)).toEqual(parsePointer(plain));
      expect(marksOf(plain)).toBe("");
    }
    expect(marksOf(pointerValue(live, "rs"))).toBe("rs");
    const preview = { release: digest("b"), expiresAt: 1_790_000_000 };
    expect(parsePreview(previewValue(preview, "s"), 0)).toEqual(parsePreview(previewValue(preview), 0));
    expect(marksOf(previewValue(preview, "s"))).toBe("s");
    expect(marksOf(undefined)).toBe("");
  });

  test("has the name of a game that is offline as text, and fits however long it is", () => {
    const value = pointerValue(unpublishedPointer('Tom & "<b>Jerry</b>"', "is not online now."));
    expect(value).toBe("u<bdi>Tom &amp; &quot;&lt;b&gt;Jerry&lt;/b&gt;&quot;</bdi> is not online now.");
    const longest = pointerValue(unpublishedPointer('"'.repeat(limits.nameLength), "x".repeat(200)));
    expect(Buffer.byteLength(longest ?? "")).toBeLessThanOrEqual(pointerBytes);
  });

  test("read back is the same", () => {
    expect(parsePointer(pointerValue(live))).toEqual({ ...live, fallback: undefined });
    const updated = { ...live, fallback: digest("1") };
    expect(parsePointer(pointerValue(updated))).toEqual(updated);
  });

  test("has the marks of deltas behind a count for each earlier release", () => {
    const places = { era: "era-0001", changes: ["markfilter"], counts: [1, -1], deltas: ["0a1b2c", "zik0zi"] };
    const value = pointerValue({ ...live, places });
    expect(value).toMatch(/\.era-00011\/0a1b2czik0zi\.markfilter$/);
    expect(parsePointer(value)).toMatchObject({ places });
    // A version that has no marks writes the same without them.
    expect(parsePointer(value?.replace("0a1b2czik0zi", ""))).toMatchObject({ places: { ...places, deltas: [] } });
  });

  test("has no release before if that one was withdrawn", () => {
    expect(parsePointer(pointerValue({ ...live, fallback: digest("3") }))).toMatchObject({ fallback: undefined });
  });

  test("without another owner before has no such time", () => {
    const { ownedSince: _, ...never } = live;
    expect(parsePointer(pointerValue(never)).kind === "live" && parsePointer(pointerValue(never))).toMatchObject({
      ownedSince: undefined,
    });
  });

  const many = Array.from({ length: 20 }, (_, index) =>
    index.toString(16).padStart(43, "0").split("").reverse().join(""),
  );

  test("names the latest earlier releases alone", () => {
    const read = parsePointer(pointerValue({ ...live, earlier: many }));
    expect(read).toMatchObject({ earlier: many.slice(0, 5) });
  });

  test("and its slug have 285 bytes at most, so that 5 MB hold 17,500 games", () => {
    const all = { ...live, earlier: many, fallback: many[0] };
    const bytes = Buffer.byteLength(`space-racers${pointerValue(all)}`);
    expect(bytes).toBeLessThanOrEqual(285);
    expect(5_000_000 / bytes).toBeGreaterThan(17_500);
  });
});

describe("a visit that began with", () => {
  const released = parsePointer(pointerValue(live));
  const orderFor = (cookie: string) =>
    released.kind === "live" &&
    chooseReleases({ method: "GET", target: "/a.js", headers: { cookie: `__Host-svc-release=${cookie}` } }, released);

  test("an earlier release goes on with it", () => {
    expect(orderFor(digest("1"))).toEqual([digest("1"), digest("a")]);
  });

  test.each([
    ["a release that was never live", digest("3")],
    ["the beginning of a name", digest("1").slice(0, 42)],
    ["another name with the same beginning", `${digest("1").slice(0, 42)}0`],
    ["a path", `${digest("1")}/../x`],
    ["a name and more", `${digest("1")}0`],
    ["nothing", ""],
  ])("%s gets the live release", (_, cookie) => {
    expect(orderFor(cookie)).toEqual([digest("a")]);
  });
});

test("a release's name is its manifest's whole digest", () => {
  const hex = "0123456789abcdef".repeat(4);
  expect(releaseName(hex)).toBe("ASNFZ4mrze8BI0VniavN7wEjRWeJq83vASNFZ4mrze8");
  expect(digestOf(releaseName(hex))).toBe(hex);
});

describe("a preview", () => {
  const preview = { release: digest("b"), expiresAt: 1_790_000_000 };

  test("has a key that names its digest, and is read back until it expires", () => {
    const key = previewKey("my-game", "b".repeat(64));
    expect(key).toBe("my-game--bbbbbbbbbbbbbbbbbbbb");
    expect([key, "my-game"].map(slugOfKey)).toEqual(["my-game", "my-game"]);
    const value = previewValue(preview);
    expect(parsePreview(value, 1_789_999_999)).toEqual({ kind: "live", live: preview.release, earlier: [] });
    const replaced = { ...preview, earlier: ["1", "2", "3"].map(digest) };
    expect(parsePreview(previewValue(replaced), 0)).toEqual({
      kind: "live",
      live: preview.release,
      earlier: [digest("1"), digest("2")],
      fallback: digest("1"),
    });
    const bytes = Buffer.byteLength(previewKey("space-racers", "b".repeat(64)) + previewValue(replaced));
    expect(bytes).toBeLessThanOrEqual(190);
    expect(parsePreview(value, 1_790_000_000)).toEqual({ kind: "none" });
  });

  test.each([undefined, "", "u", "s", pointerValue(live)])("is not what %p says", (value) => {
    expect(parsePreview(value, 0)).toEqual({ kind: "none" });
  });
});
