import { expect, jest, test } from "@jest/globals";
import { defaultSettings } from "../../../contract/api/releases/release-settings.ts";
import { Manifest } from "../../files/manifests.ts";
import { compareReleases, returningLoad } from "./changes.ts";

test("what players load of a release is computed without a look through the live manifest for each file", () => {
  const file = (path: string, digit: string) => ({ path, size: 1_000, sha256: digit.repeat(64) });
  const live = Manifest.of([file("a", "0"), file("b", "0")]);
  const deltas = [{ dictionary: "0".repeat(64), size: 100, sha256: "2".repeat(64) }];
  const next = Manifest.of([file("a", "0"), { ...file("b", "1"), deltas }]);
  const find = jest.spyOn(Manifest.prototype, "find");
  expect(returningLoad(live, next)).toEqual({ bytes: 100, withoutDeltas: 1_000 });
  expect(find).not.toHaveBeenCalled();
  find.mockRestore();
});

test("of each kind of change the first 1,000 paths are listed, and all are counted", () => {
  const manifest = (hash: string) =>
    Manifest.of(Array.from({ length: 1_001 }, (_, index) => ({ path: `${1_000 + index}`, size: 1, sha256: hash })));
  const [before, after] = [manifest("0".repeat(64)), manifest("1".repeat(64))];
  const all = { count: 1_001, paths: Array.from({ length: 1_000 }, (_, index) => `${1_000 + index}`) };
  const none = { count: 0, paths: [] };
  expect(compareReleases(Manifest.empty, after)).toMatchObject({ added: all, changed: none, removed: none });
  expect(compareReleases(before, after)).toMatchObject({ added: none, changed: all, removed: none });
  expect(compareReleases(before, Manifest.empty)).toMatchObject({ added: none, changed: none, removed: all });
});

test("files and settings that stay the same are not changed", () => {
  const file = (path: string, digit: string) => ({ path, size: 1, sha256: digit.repeat(64) });
  const live = Manifest.of([file("a", "0"), file("b", "0"), file("c", "0")], { ...defaultSettings, spa: true });
  const next = Manifest.of([file("a", "0"), file("b", "1"), file("d", "0")]);
  expect(compareReleases(live, next)).toEqual({
    added: { count: 1, paths: ["d"] },
    changed: { count: 1, paths: ["b"] },
    removed: { count: 1, paths: ["c"] },
    unchanged: { count: 1 },
    settings: ["spa"],
  });
});
