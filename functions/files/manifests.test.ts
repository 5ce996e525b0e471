import { createHash } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { type ManifestFile, pathProblem } from "../../contract/api/releases/manifest-rules.ts";
import { defaultSettings } from "../../contract/api/releases/release-settings.ts";
import { claimKey, Manifest } from "./manifests.ts";

function file(path: string, size = path.length): ManifestFile {
  return { path, size, sha256: createHash("sha256").update(path).digest("hex") };
}

const files = [file("index.html"), file("a b/ü.js"), file("a b/ü.js.map"), file("x/index.html"), file("日本.png", 0)];
const manifest = Manifest.of(files);

describe("a manifest", () => {
  test.each(files)("finds $path", ({ path, size, sha256 }) => {
    expect(manifest.find(path)).toEqual({ size, sha256 });
  });

  test.each(["", "html", "ndex.html", "index.htm", "a b", "a b/ü", "INDEX.HTML", "index.html\t10", "\n", "none"])(
    "does not find %j",
    (path) => {
      expect(manifest.find(path)).toBeUndefined();
    },
  );

  test("names every file in the order of the paths, and every content once", () => {
    expect([...manifest.files().keys()]).toEqual(files.map(({ path }) => path).toSorted());
    const twins = Manifest.of([file("a", 1), { ...file("a", 1), path: "b" }]);
    expect([...twins.sizes()]).toEqual([[file("a").sha256, 1]]);
  });

  test("has a digest that depends on the files and not on their order", () => {
    expect(Manifest.of(files.toReversed()).digest).toBe(manifest.digest);
    expect(Manifest.of(files.slice(1)).digest).not.toBe(manifest.digest);
    expect(Manifest.of([{ ...file("a"), size: 2 }]).digest).not.toBe(Manifest.of([file("a")]).digest);
  });

  test("has other settings with the same files, indexes and those deltas that are sent by them", () => {
    const large = {
      ...file("game.pck", 300_000),
      index: { size: 20, sha256: file("index").sha256 },
      deltas: [{ dictionary: file("older").sha256, ...{ size: 100, sha256: file("delta").sha256 } }],
    };
    const settings = { ...defaultSettings, frame: "nobody" as const };
    expect(Manifest.of([large]).withSettings(settings).digest).toBe(Manifest.of([large], settings).digest);
    const whole = { ...defaultSettings, updates: "whole" as const };
    const { deltas: _, ...plain } = large;
    expect(Manifest.of([large]).withSettings(whole).digest).toBe(Manifest.of([plain], whole).digest);
  });

  test("stays the same when packed and unpacked", async () => {
    const unpacked = await Manifest.unpack(await manifest.pack());
    expect(unpacked.digest).toBe(manifest.digest);
    expect(unpacked.files()).toEqual(manifest.files());
  });

  test("without variants and settings has the same text as before both existed", () => {
    const text = `\na\t1\t${file("a").sha256}\nb\t1\t${file("b").sha256}\n`;
    const digest = createHash("sha256").update(text).digest("hex");
    expect(Manifest.of([file("b"), file("a")]).digest).toBe(digest);
    expect(
      Manifest.of([file("b"), file("a")], {
        isolation: false,
        immutable: [],
        spa: false,
        frame: "everybody",
        preload: [],
        updates: "content",
      }).digest,
    ).toBe(digest);
  });

  test("keeps variants, and counts them among the contents", async () => {
    const br = { size: 1, sha256: file("variant").sha256 };
    const made = await Manifest.unpack(await Manifest.of([{ ...file("a.js"), br }, file("b")]).pack());
    expect(made.find("a.js")).toEqual({ size: 4, sha256: file("a.js").sha256, br });
    expect(made.find("b")).toEqual({ size: 1, sha256: file("b").sha256 });
    expect(made.sizes()).toEqual(
      new Map([
        [file("a.js").sha256, 4],
        [br.sha256, 1],
        [file("b").sha256, 1],
      ]),
    );
    expect(made.digest).not.toBe(Manifest.of([file("a.js"), file("b")]).digest);
  });

  test("keeps indexes of files and variants beside them, and has their files' digest beside its own", async () => {
    const [index, ofVariant] = [file("index"), file("index of the variant")].map(({ size, sha256 }) => ({
      size,
      sha256,
    }));
    if (!index || !ofVariant) throw new Error("There are two indexes");
    const br = { size: 1, sha256: file("variant").sha256 };
    const plain = [{ ...file("a.pck"), br }, file("x")] as const;
    const indexed = [{ ...plain[0], index, br: { ...br, index: ofVariant } }, plain[1]];
    const made = await Manifest.unpack(await Manifest.of(indexed).pack());
    expect(made.indexes).toEqual({ [file("a.pck").sha256]: index, [br.sha256]: ofVariant });
    expect(made.find("a.pck")).toEqual({ size: 5, sha256: file("a.pck").sha256, br });
    const hashes = [...plain, br, index, ofVariant].map(({ sha256 }) => sha256);
    expect([...made.sizes().keys()].toSorted()).toEqual(hashes.toSorted());
    expect(made.settings).toEqual(Manifest.of(plain).settings);
    expect(made.filesDigest).toBe(Manifest.of(plain).digest);
    expect(made.digest).not.toBe(made.filesDigest);
  });

  test("keeps deltas of what is stored apart from those of what its Brotli gives, though both have one SHA-256", async () => {
    const delta = (name: string) => ({ dictionary: file(name).sha256, size: 1, sha256: file(`delta ${name}`).sha256 });
    const [ofStored, ofUnpacked] = [delta("a"), delta("b")];
    const content = { size: 9, sha256: file("packed").sha256 };
    const identity = { encoding: "identity" as const };
    const made = await Manifest.unpack(
      await Manifest.of([
        { path: "a.bin.br", ...content, deltas: [ofUnpacked] },
        { path: "b.bin.br", ...content },
        { path: "c.bin.br", ...content, ...identity },
        { path: "d.bin.gz", ...content },
        { path: "e.bin", ...content, deltas: [ofStored] },
      ]).pack(),
    );
    const deltas = Object.fromEntries([...made.files()].map(([path, { deltas: own }]) => [path, own]));
    expect(deltas).toEqual({
      "a.bin.br": [ofUnpacked],
      "b.bin.br": [ofUnpacked],
      "c.bin.br": [ofStored],
      "d.bin.gz": undefined,
      "e.bin": [ofStored],
    });
    expect(made.find("a.bin.br")?.deltas).toEqual([ofUnpacked]);
    // An earlier version of the service, whose findings go by these places, knows the first one alone.
    expect(made.copies().map(({ copy }) => copy)).toEqual([ofStored, ofUnpacked]);
    expect(new Set(made.copies().map(claimKey)).size).toBe(2);
    const same = Manifest.of([
      { path: "a.bin.br", ...content, deltas: [ofStored] },
      { path: "e.bin", ...content, deltas: [ofStored] },
    ]);
    expect(new Set(same.copies().map(claimKey)).size).toBe(2);
  });

  test("keeps deltas of files with and without a variant, and has their files' digest beside its own", async () => {
    const delta = (dictionary: string) => ({
      dictionary: file(dictionary).sha256,
      size: 1,
      sha256: file(`delta of ${dictionary}`).sha256,
    });
    const [a, b] = [delta("a"), delta("b")].toSorted((one, other) => (one.dictionary < other.dictionary ? -1 : 1));
    if (!a || !b) throw new Error("There are two deltas");
    const br = { size: 1, sha256: file("variant").sha256 };
    const plain = [{ ...file("a.js"), br }, file("data.pck"), file("x")];
    const settings = { ...manifest.settings, spa: true };
    const [script, pack, other] = plain as [ManifestFile, ManifestFile, ManifestFile];
    const twin = { ...pack, path: "same.pck" };
    const made = await Manifest.unpack(
      await Manifest.of(
        [{ ...script, deltas: [a] }, { ...pack, deltas: [b] }, { ...twin, deltas: [a, b] }, other],
        settings,
      ).pack(),
    );
    const { path: _, ...content } = pack;
    expect(made.settings).toEqual(settings);
    expect(made.find("a.js")).toEqual({ size: 4, sha256: file("a.js").sha256, br, deltas: [a] });
    expect([made.find("data.pck"), made.files().get("same.pck")]).toEqual(
      Array(2).fill({ ...content, deltas: [a, b] }),
    );
    expect(made.find("x")).toEqual({ size: 1, sha256: file("x").sha256 });
    expect([...made.sizes().keys()].toSorted()).toEqual(
      [...plain.map(({ sha256 }) => sha256), br.sha256, a.sha256, b.sha256].toSorted(),
    );
    const without = Manifest.of([...plain, twin], settings);
    expect([made.filesDigest, without.filesDigest]).toEqual([without.digest, without.digest]);
    expect(made.digest).not.toBe(without.digest);
  });

  test("keeps settings in any order, and finds its files with them", async () => {
    const settings = {
      isolation: "credentialless" as const,
      immutable: ["b/**", "a/*"],
      spa: true,
      frame: ["https://a.example"],
      preload: ["b.wasm", "a.wasm"],
      updates: "whole" as const,
    };
    const made = await Manifest.unpack(await Manifest.of(files, settings).pack());
    expect(made.settings).toEqual({ ...settings, immutable: ["a/*", "b/**"] });
    expect(made.files()).toEqual(manifest.files());
    expect(made.find("index.html")).toEqual(manifest.find("index.html"));
    expect(made.digest).toBe(Manifest.of(files, { ...settings, immutable: ["a/*", "b/**", "a/*"] }).digest);
    expect(made.digest).not.toBe(manifest.digest);
    expect(manifest.settings).toEqual({
      isolation: false,
      immutable: [],
      spa: false,
      frame: "everybody",
      preload: [],
      updates: "content",
    });
    for (const changed of [
      { isolation: true },
      { spa: false },
      { frame: "nobody" as const },
      { preload: [] },
      { updates: "content" as const },
    ])
      expect(Manifest.of(files, { ...settings, ...changed }).digest).not.toBe(made.digest);
  });

  test("keeps that a file is sent as it is, although its name says that it is compressed", async () => {
    const made = await Manifest.unpack(
      await Manifest.of([{ ...file("a.gz"), encoding: "identity" }, file("b")]).pack(),
    );
    expect(made.find("a.gz")).toEqual({ size: 4, sha256: file("a.gz").sha256, encoding: "identity" });
    expect(made.find("b")).toEqual({ size: 1, sha256: file("b").sha256 });
    expect(made.sizes().size).toBe(2);
    expect(made.digest).not.toBe(Manifest.of([file("a.gz"), file("b")]).digest);
  });

  test("that is empty has no files", () => {
    expect(Manifest.empty.files()).toEqual(new Map());
    expect(Manifest.empty.find("")).toBeUndefined();
    expect(Manifest.empty.digest).toBe(Manifest.of([]).digest);
  });

  test("finds exactly the paths that it has, for all valid paths", () => {
    const path = fc.string({ unit: "grapheme", minLength: 1 }).filter((text) => pathProblem(text) === undefined);
    fc.assert(
      fc.property(fc.uniqueArray(path, { minLength: 1 }), path, (paths, other) => {
        const made = Manifest.of(paths.map((text) => file(text)));
        for (const text of paths) expect(made.find(text)).toEqual({ size: text.length, sha256: file(text).sha256 });
        expect(made.find(other) !== undefined).toBe(paths.includes(other));
        expect([...made.files().keys()].toSorted()).toEqual(paths.toSorted());
      }),
    );
  });
});
