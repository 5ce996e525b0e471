import { describe, expect, test } from "@jest/globals";
import type { Project } from "./begin.ts";
import {
  keptEarlier,
  parsePointer,
  parsePreview,
  pointerValue,
  previewKey,
  previewValue,
  slugOfKey,
} from "./pointer.ts";
import { visitOf } from "./visit.ts";

const digest = (digit: string) => digit.repeat(64);
const live: Project = {
  kind: "live",
  live: digest("a"),
  earlier: [digest("1"), digest("2")],
  ownedSince: "mh3k2p1a",
};

describe("a project's value in the store", () => {
  test.each<[string, Project, string | undefined]>([
    ["nothing for a project that is not there", { kind: "none" }, undefined],
    ["that nothing is live", { kind: "unpublished" }, "u"],
    ["that it is taken down", { kind: "takenDown" }, "s"],
    ["what is live", { kind: "live", live: digest("a"), earlier: [] }, `l.${digest("a")}..`],
    ["earlier releases and the owner's time", live, `l.${digest("a")}.111111222222.mh3k2p1a`],
  ])("says %s, and is read back", (_, project, value) => {
    expect(pointerValue(project)).toBe(value);
    const read = parsePointer(value);
    expect(read.kind).toBe(project.kind);
    expect(pointerValue(read)).toBe(value);
  });

  test("read back has the digest in full, the first digits of earlier ones, and the owner's time", () => {
    expect(parsePointer(pointerValue(live))).toEqual({ ...live, earlier: ["111111", "222222"] });
  });

  test("without another owner before has no such time", () => {
    const { ownedSince: _, ...never } = live;
    expect(parsePointer(pointerValue(never)).kind === "live" && parsePointer(pointerValue(never))).toMatchObject({
      ownedSince: undefined,
    });
  });

  const many = Array.from({ length: 20 }, (_, index) =>
    index.toString(16).padStart(64, "0").split("").reverse().join(""),
  );

  test("names the latest earlier releases alone", () => {
    const read = parsePointer(pointerValue({ ...live, earlier: many }));
    expect(read).toMatchObject({ earlier: many.slice(0, keptEarlier).map((text) => text.slice(0, 6)) });
  });

  test("and its slug have 110 bytes, so that 5 MB hold 45,000 games; the largest are below the store's limits", () => {
    const bytesOf = (slug: string, project: Project) => Buffer.byteLength(slug + (pointerValue(project) ?? ""));
    const { ownedSince: _, ...usual } = { ...live, earlier: many };
    const bytes = bytesOf("space-racers", usual);
    expect(bytes).toBeLessThanOrEqual(110);
    expect(5_000_000 / bytes).toBeGreaterThan(45_000);
    expect(bytesOf("a".repeat(40), { ...usual, ownedSince: "mh3k2p1a" })).toBeLessThan(1_024);
  });
});

describe("a visit that began with", () => {
  const released = parsePointer(pointerValue(live));
  const orderOf = (cookie: string) =>
    released.kind === "live" &&
    visitOf({ method: "GET", target: "/a.js", headers: { cookie: `__Host-svc-release=${cookie}` } }, released).order;

  test("an earlier release goes on with it", () => {
    expect(orderOf(digest("1"))).toEqual([digest("1"), digest("a")]);
  });

  test.each([
    ["a release that was never live", digest("3")],
    ["digits alone", "111111"],
    ["a path", "111111../../x"],
    ["a path with a digest at its end", `111111/${digest("1")}`],
    ["a digest and more", `${digest("1")}0`],
    ["upper case", `111111${"A".repeat(58)}`],
    ["a digest that ends with the digits of one", `${"0".repeat(58)}111111`],
    ["nothing", ""],
  ])("%s gets the live release", (_, cookie) => {
    expect(orderOf(cookie)).toEqual([digest("a")]);
  });
});

describe("a preview", () => {
  const preview = { digest: digest("b"), expiresAt: 1_790_000_000 };

  test("has a key that names its digest, and is read back until it expires", () => {
    const key = previewKey("my-game", preview.digest);
    expect(key).toBe("my-game--bbbbbbbbbbbbbbbbbbbb");
    expect([key, "my-game"].map(slugOfKey)).toEqual(["my-game", "my-game"]);
    const value = previewValue(preview);
    expect(parsePreview(value, 1_789_999_999)).toEqual({ kind: "live", live: preview.digest, earlier: [] });
    expect(parsePreview(value, 1_790_000_000)).toEqual({ kind: "none" });
  });

  test.each([undefined, "", "u", "s", pointerValue(live)])("is not what %p says", (value) => {
    expect(parsePreview(value, 0)).toEqual({ kind: "none" });
  });
});
