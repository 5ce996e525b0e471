import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { limits } from "../limits.ts";
import { type ManifestFile, manifestProblems, pathProblem } from "./manifest-rules.ts";

describe("a manifest path", () => {
  test.each([
    ["index.html"],
    ["assets/player one.png"],
    ["..hidden/…/file"],
    ["日本語/ゲーム.js"],
    ["a".repeat(limits.pathBytes)],
  ])("may be %p", (path) => {
    expect(pathProblem(path)).toBeUndefined();
  });

  test.each([
    ["", "must not be empty"],
    ["/etc/passwd", "relative"],
    ["../secret", "segment"],
    ["a/../b", "segment"],
    ["./a", "segment"],
    ["a//b", "segment"],
    ["a/", "segment"],
    ["a\\b", "backslash"],
    ["a\0b", "control"],
    ["a\nb", "control"],
    ["a\tb", "control"],
    ["a\u0085b", "control"],
    ["100%.png", "% or ?"],
    ["style.css?v=2", "% or ?"],
    ["cafe\u0301.png", "normalisation form C"],
    ["\ud800", "well-formed"],
    ["a".repeat(limits.pathBytes + 1), "bytes"],
    ["ü".repeat(limits.pathBytes / 2 + 1), "bytes"],
  ])("must not be %p", (path, reason) => {
    expect(pathProblem(path)).toContain(reason);
  });

  test("never points out of its folder", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(".", "/", "a", "\\") }), (path) => {
        fc.pre(pathProblem(path) === undefined);
        return new URL(path, "file:///folder/").pathname.startsWith("/folder/");
      }),
    );
  });
});

describe("a manifest", () => {
  const file = (path: string, size = 1) => ({ path, size, sha256: String(size).padStart(64, "0") });

  test.each([
    ["a path twice", ["a", "a"], "twice"],
    ["paths that differ in case", ["a/B.png", "A/b.png"], "upper and lower case"],
    ["paths that only some file systems tell apart", ["straße.png", "STRASSE.png"], "upper and lower case"],
    ["paths that only the capital ß tells apart", ["STRAẞE.png", "strasse.png"], "upper and lower case"],
    ["a file where another path has a folder", ["a/b", "a"], "folder"],
    ["a folder of several files where another path has a file", ["a", "a/b", "a/c"], "folder"],
    ["a folder where another path has a file", ["a", "a/b"], "folder"],
  ])("must not have %s", (_, paths, detail) => {
    const problems = manifestProblems(paths.map((path) => file(path)));
    expect(problems).toEqual([{ index: 1, field: "path", detail: expect.stringContaining(detail) }]);
  });

  test("must not be larger than a release may be", () => {
    const files = Array.from({ length: 21 }, (_, index) => file(`f${index}`, limits.bytesPerFile));
    expect(manifestProblems(files)).toEqual([{ index: 20, field: "size", detail: expect.stringContaining("bytes") }]);
  });

  test("may be as large as a release may be, with its variants", () => {
    const files = Array.from({ length: 20 }, (_, index) => file(`f${index}`, limits.bytesPerFile));
    const rest = limits.bytesPerRelease - 20 * limits.bytesPerFile;
    expect(manifestProblems([...files, file("rest", rest)])).toEqual([]);
    const br = { size: 1, sha256: "b".repeat(64) };
    expect(manifestProblems([...files, { ...file("rest", rest - 1), br }])).toEqual([]);
    expect(manifestProblems([...files, { ...file("rest", rest), br }])).toMatchObject([{ index: 20, field: "size" }]);
    for (const indexed of [{ index: br }, { br: { size: 0, sha256: "d".repeat(64), index: br } }]) {
      expect(manifestProblems([...files, { ...file("rest", rest - 1), ...indexed }])).toEqual([]);
      expect(manifestProblems([...files, { ...file("rest", rest), ...indexed }])).toMatchObject([
        { index: 20, field: "size" },
      ]);
    }
    const deltas = [{ ...br, dictionary: "c".repeat(64) }];
    expect(manifestProblems([...files, { ...file("rest", rest - 1), deltas }])).toEqual([]);
    expect(manifestProblems([...files, { ...file("rest", rest), deltas }])).toMatchObject([
      { index: 20, field: "size" },
    ]);
  });

  const br = (size: number) => ({ br: { size, sha256: "b".repeat(64) } });
  /** The delta of so many bytes from the n-th dictionary. */
  const delta = (size: number, n: number) => ({
    dictionary: `d${n}`.padEnd(64, "0"),
    size,
    sha256: String(size).padEnd(64, "d"),
  });
  const deltas = (...sizes: number[]) => ({ deltas: sizes.map(delta) });
  const ownDelta = { ...delta(1, 1), dictionary: file("a", 100).sha256 };
  const encoding = { encoding: "identity" as const };
  test.each<[string, Omit<ManifestFile, "size" | "sha256">, string, string]>([
    ["a variant that saves 10 %", { path: "a.js", ...br(90) }, "", ""],
    ["a delta of less than half", { path: "a.js", ...deltas(49) }, "", ""],
    ["a delta of half", { path: "a.js", ...deltas(49, 50) }, "deltas", "smaller than half"],
    ["a delta of less than half of the variant", { path: "a.js", ...br(50), ...deltas(24) }, "", ""],
    ["a delta of half of the variant", { path: "a.js", ...br(50), ...deltas(25) }, "deltas", "smaller than half"],
    ["a delta of what is stored in Brotli", { path: "a.js.br", ...deltas(49) }, "", ""],
    ["a delta of half of what is stored in Brotli", { path: "a.js.br", ...deltas(50) }, "deltas", "smaller than half"],
    ["a delta of what is stored in gzip", { path: "a.js.gz", ...deltas(1) }, "deltas", "ends in .gz"],
    ["a delta of Brotli that is sent as it is", { path: "a.js.br", ...encoding, ...deltas(1) }, "deltas", "in .br and"],
    ["a delta from the file itself", { path: "a.js", deltas: [ownDelta] }, "deltas", "older file"],
    ["two deltas from one file", { path: "a.js", deltas: [delta(1, 1), delta(2, 1)] }, "deltas", "twice"],
    ["a variant that saves less", { path: "a.js", ...br(91) }, "br", "10 % smaller"],
    ["a variant of what is stored compressed", { path: "a.js.br", ...br(1) }, "br", "stored compressed"],
    ["what is stored compressed as it is", { path: "a.js.gz", ...encoding }, "", ""],
    ["another file as it is", { path: "a.js", ...encoding }, "encoding", ".br nor .gz"],
  ])("with %s, as %j, has the problem %j", (_, changes, field, detail) => {
    const problems = manifestProblems([{ ...file("a", 100), ...changes }]);
    expect(problems).toEqual(field ? [{ index: 0, field, detail: expect.stringContaining(detail) }] : []);
  });

  test("must not give one content two lengths", () => {
    const twin = { ...file("b", 2), sha256: file("a", 1).sha256 };
    expect(manifestProblems([file("a", 1), twin])).toEqual([
      { index: 1, field: "size", detail: expect.stringContaining("same sha256") },
    ]);
  });

  test("of different paths is good", () => {
    expect(manifestProblems(["a/b", "a/c", "b"].map((path) => file(path)))).toEqual([]);
  });
});
