import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { limits } from "../../../contract/api/limits.ts";
import { nameOfParts } from "../../../contract/folder/parts.ts";
import { prepare } from "./prepare.ts";
import type { PreparedFolder } from "./protocol.ts";
import { Refusal } from "./refusal.ts";
import type { SourceFile } from "./source.ts";

const module = "../../../node_modules/brotli-wasm/pkg.web/brotli_wasm_bg.wasm";
const encoder = readFileSync(new URL(module, import.meta.url));

type Content = string | Uint8Array<ArrayBuffer>;

function sourceOf([path, content]: [string, Content]): SourceFile {
  const blob = new Blob([content]);
  return { path, size: blob.size, stream: () => blob.stream(), blob: async () => blob };
}

async function prepared(files: Readonly<Record<string, Content>>): Promise<PreparedFolder> {
  return (await prepare(Object.entries(files).map(sourceOf), { slug: "bounce", encoder, onReading: () => {} }))
    .prepared;
}

async function refusalOf(files: Readonly<Record<string, Content>>): Promise<string> {
  const refusal = await prepared(files).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(Refusal);
  const { message, places } = refusal as Refusal;
  return [message, ...places].join("\n");
}

test("files have their SHA-256, and are sorted by path", async () => {
  const { files } = await prepared({ "index.html": "1", "a.js": "2" });
  const of = (text: string) => createHash("sha256").update(text).digest("hex");
  expect(files).toEqual([
    { path: "a.js", size: 1, sha256: of("2") },
    { path: "index.html", size: 1, sha256: of("1") },
  ]);
});

test("a file that Brotli shrinks has a variant, and its other copy the same", async () => {
  const { files } = await prepared({
    "index.html": "1",
    "a.js": "let a;".repeat(1_000),
    "b.js": "let a;".repeat(1_000),
  });
  const [a, b, index] = files;
  expect(a?.br?.sha256).toMatch(/^[0-9a-f]{64}$/);
  expect(a?.br?.size).toBeLessThan(100);
  expect(b?.br).toEqual(a?.br);
  expect(index).not.toHaveProperty("br");
});

test("a file above 64 MiB has the name that its parts give, and their hashes", async () => {
  const bytes = new Uint8Array(limits.largeFileBytes + 1).fill(7, limits.bytesPerPart);
  const parts = [0, 1, 2, 3, 4].map((index) =>
    createHash("sha256")
      .update(bytes.subarray(index * limits.bytesPerPart, (index + 1) * limits.bytesPerPart))
      .digest("hex"),
  );
  const { files } = await prepared({ "index.html": "1", "world.pck": bytes });
  expect(files[1]).toMatchObject({ path: "world.pck", size: bytes.length, sha256: nameOfParts(parts), parts });
});

test("svc.toml and .svcignore are obeyed and not published, and what may be a secret is named", async () => {
  const found = await prepared({
    "svc.toml": 'project = "other"\ndir = "build"\nignore = ["*.psd"]\nisolation = true\nspa = true',
    ".svcignore": "/drafts/",
    "build/index.html": "1",
    "build/art.psd": "1",
    "build/drafts/x.txt": "1",
    "build/.env": "KEY=1",
    "build/node_modules/a/b.js": "1",
    "src/a.ts": "1",
  });
  expect(found.files.map(({ path }) => path)).toEqual(["index.html"]);
  expect(found.settings).toEqual({ isolation: true, immutable: [], spa: true, frame: "everybody" });
  expect(found.secrets).toEqual([".env"]);
  expect(found.leftOut).toBe(3);
  expect(found.warnings).toEqual(["svc.toml belongs to the project other; here it is published to bounce."]);
});

test("its picture is what index.html names, in UTF-8, however large the page is", async () => {
  const page = `<meta property="og:image" content="art/größe.png">${" ".repeat(1_000_000)}`;
  const files = { "index.html": page, "art/größe.png": "P", "cover.png": "P" };
  expect(await prepared(files)).toMatchObject({ picture: "art/größe.png" });
  expect((await prepared({ "index.html": "1" })).picture).toBeUndefined();
});

test("a svc.toml that the command line refuses is refused", async () => {
  expect(await refusalOf({ "svc.toml": "tokken = 1", "index.html": "1" })).toBe("svc.toml has the unknown key tokken.");
  expect(await refusalOf({ "svc.toml": 'dir = "../other"', "index.html": "1" })).toContain("outside of this one");
  expect(await refusalOf({ "svc.toml": `ignore = ["pat_${"0".repeat(60)}"]`, "index.html": "1" })).toContain("a token");
});

test("a folder without index.html is refused, with the folder that has one", async () => {
  expect(await refusalOf({ "game.js": "1" })).toContain("has no index.html");
  expect(await refusalOf({ "a/build/index.html": "1" })).toContain("There is one in a/build/");
  expect(await refusalOf({ "Index.html": "1" })).toContain("Rename Index.html");
});

test("paths that the API refuses are refused before anything is hashed", async () => {
  expect(await refusalOf({ "index.html": "1", "a%20b.js": "1", "A.js": "1", "a.js": "1" })).toContain(
    "a%20b.js: must not",
  );
  expect(await refusalOf({ "index.html": "1", "A.js": "1", "a.js": "1" })).toContain("only in upper and lower case");
  expect(await refusalOf({ "index.html": "1", "../x.js": "1" })).toContain("must not have an empty, . or .. segment");
});

test("files that configure other hosts are refused, line by line", async () => {
  const refusal = await refusalOf({ "index.html": "1", _redirects: "/* /index.html 200" });
  expect(refusal).toContain("_redirects, line 1: spa = true in svc.toml");
});

test("it warns of wrong case, missing files, and threads without isolation", async () => {
  const { warnings } = await prepared({
    "index.html": '<script src="Game.js"></script><img src="no.png">',
    "game.js": "new SharedArrayBuffer(8)",
  });
  expect(warnings).toEqual([
    "game.js makes shared memory, so the game may need isolation = true in svc.toml.",
    "index.html refers to Game.js, but the file is named game.js: upper and lower case differ.",
    "index.html refers to no.png, which is not in the folder.",
  ]);
});

test("a file named .gz that is none, or that the game unpacks, is sent as it is stored", async () => {
  const gzip = new Uint8Array([0x1f, 0x8b, 8, 0]);
  const { files } = await prepared({
    "index.html": "1",
    "svc.toml": 'raw = ["mine.data.gz"]',
    "mine.data.gz": gzip,
    "game.data.gz": gzip,
    "text.data.gz": "text",
  });
  expect(files.filter(({ encoding }) => encoding).map(({ path }) => path)).toEqual(["mine.data.gz", "text.data.gz"]);
});
