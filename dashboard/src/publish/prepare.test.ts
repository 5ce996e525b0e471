import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, jest, test } from "@jest/globals";
import { adviceInWords } from "../../../contract/folder/advice.ts";
import { freshBeginning } from "../../../publisher/beginning.ts";
import type { Choices } from "../../../publisher/settings.ts";
import { wordsFor } from "./offers.ts";
import { pagePlatform } from "./platform.ts";
import { Kept, preparePicked } from "./prepare.ts";
import type { Reading } from "./protocol.ts";
import { Refusal } from "./refusal.ts";
import { assertCount, type BlobFile, fileOf } from "./source.ts";

const module = "../../../node_modules/brotli-wasm/pkg.web/brotli_wasm_bg.wasm";
const platform = pagePlatform(readFileSync(new URL(module, import.meta.url)));

const fresh = { slug: "bounce", platform, beginning: freshBeginning, onReading: () => {} };
const picked = (files: Readonly<Record<string, string | Uint8Array<ArrayBuffer>>>): BlobFile[] =>
  Object.entries(files).map(([path, content]) => fileOf(path, new Blob([content])));

test("what is uploaded is found by its SHA-256: files, copies, indexes and a chosen picture", async () => {
  const script = "let a;".repeat(1_000);
  const large = new Uint8Array(17 * 1024 * 1024);
  const choices: Choices = { leftOut: [], picture: { path: "cover.png", bytes: btoa("mine") } };
  const files = picked({ "index.html": "1", "game.js": script, "cover.png": "from the folder", "world.mp4": large });
  const { prepared, contents } = await preparePicked(files, { ...fresh, choices, kept: new Kept() });
  const [cover, game, , world] = prepared.files;
  expect(await (await contents.get(cover?.sha256 ?? "")?.blob())?.text()).toBe("mine");
  for (const content of [game, game?.br, world, world?.index]) {
    const bytes = await (await contents.get(content?.sha256 ?? "")?.blob())?.bytes();
    expect(bytes).toHaveLength(content?.size ?? 0);
    if (content !== world)
      expect(content?.sha256).toBe(
        createHash("sha256")
          .update(bytes ?? "")
          .digest("hex"),
      );
  }
});

test("with another choice no file is read again, and the progress comes to its end", async () => {
  const [kept, reads, readings] = [new Kept(), [] as string[], [] as Reading[]];
  const files = picked({ "index.html": "1", "a.js": "let a;".repeat(1_000), "b.bin": randomBytes(5_000) }).map(
    (file) => ({
      ...file,
      stream: () => {
        reads.push(file.path);
        return file.stream();
      },
    }),
  );
  const options = { ...fresh, kept, onReading: (reading: Reading) => readings.push(reading) };
  const first = await preparePicked(files, { ...options, choices: { leftOut: [] } });
  expect(readings.at(-1)).toMatchObject({ step: "compressing", bytes: 11_000, totalBytes: 11_000, totalFiles: 2 });
  const others = () => reads.filter((path) => path !== "index.html");
  const before = others();
  expect(before).toEqual(["a.js", "b.bin", "a.js", "b.bin"]);
  const second = await preparePicked(files, { ...options, choices: { leftOut: [], spa: true } });
  expect(second.prepared.files).toEqual(first.prepared.files);
  expect(others()).toEqual(before);
  const bytes = 11_001;
  expect(readings.findLast(({ step }) => step === "reading")).toMatchObject({ bytes, totalBytes: bytes });
});

test("the encoder is loaded once for all files, and again after it could not be loaded", async () => {
  const instantiate = jest.spyOn(WebAssembly, "instantiate");
  instantiate.mockRejectedValueOnce(new Error("Failed to fetch"));
  const page = pagePlatform(readFileSync(new URL(module, import.meta.url)));
  const prepare = async (files: Readonly<Record<string, string>>) =>
    await preparePicked(picked({ "index.html": "1", ...files }), {
      ...{ ...fresh, platform: page, kept: new Kept(), choices: { leftOut: [] } },
    });
  const one = { "a.js": "let a;".repeat(1_000) };
  await expect(prepare(one)).rejects.toThrow("Failed to fetch");
  instantiate.mockClear();
  const { prepared } = await prepare({ ...one, "b.js": "let b;".repeat(1_000) });
  expect(prepared.files.filter(({ br }) => br)).toHaveLength(2);
  await prepare(one);
  expect(instantiate).toHaveBeenCalledTimes(1);
  instantiate.mockRestore();
});

test("what the person leaves out stays in the list of what there is", async () => {
  const files = picked({ "index.html": "1", "src/a.ts": "12", "src/b.ts": "1", "notes.txt": "1", "notes.txt.2": "1" });
  const choices = { leftOut: ["src/", "notes.txt"] };
  const { prepared } = await preparePicked(files, { ...fresh, choices, kept: new Kept() });
  expect(prepared.entries).toContainEqual({ name: "src/", files: 2, bytes: 3, isLeftOut: true });
  expect(prepared.entries.filter(({ isLeftOut }) => isLeftOut).map(({ name }) => name)).toEqual(["notes.txt", "src/"]);
});

test.each<[string, Partial<Choices>, string]>([
  ["", { isolation: false }, "the switch Threads"],
  ["isolation = false", {}, "isolation = true in svc.toml"],
])("a warning names the switch, and svc.toml if that decides: %j", async (toml, choices, words) => {
  const files = picked({ "svc.toml": toml, "index.html": "1", "game.worker.js": "1", "game.wasm": "1" });
  const { prepared } = await preparePicked(files, { ...fresh, choices: { leftOut: [], ...choices }, kept: new Kept() });
  expect(prepared.advice.map((one) => adviceInWords(one, wordsFor(prepared.file)))).toEqual([
    `game.worker.js belongs to a build with threads, so the game may need ${words}.`,
  ]);
});

test("100,000 files are read, and no more", () => {
  expect(() => assertCount(100_000)).not.toThrow();
  expect(() => assertCount(100_001)).toThrow(Refusal);
});
