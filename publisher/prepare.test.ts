import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { brotliCompressSync, brotliDecompressSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "@jest/globals";
import { nodePlatform } from "../cli/src/publish/node-platform.ts";
import { mayHaveVariant } from "../contract/api/releases/manifest-rules.ts";
import type { ReleaseSettings } from "../contract/api/releases/release-settings.ts";
import { adviceInWords } from "../contract/folder/advice.ts";
import { nameOfParts } from "../contract/folder/parts.ts";
import { projectFileWords } from "../contract/folder/setting-words.ts";
import { filesOfZip } from "../contract/folder/zip.ts";
import { ZipProblem } from "../contract/folder/zip-problem.ts";
import { pagePlatform } from "../dashboard/src/publish/platform.ts";
import * as names from "../test/support/folder/names.ts";
import { secretCases, tokenOf } from "../test/support/folder/secret-texts.ts";
import { zipOf } from "../test/support/folder/zips.ts";
import { freshBeginning } from "./beginning.ts";
import { CopyMaker, type CopyStore, type KnownCopies } from "./copies.ts";
import type { FileFacts } from "./facts.ts";
import { copiesOf, manifestFiles, type ReleaseFile } from "./manifest.ts";
import type { Platform } from "./ports.ts";
import { assertPreparable, type PreparedRelease, prepare } from "./prepare.ts";
import { type Progress, silent, type Tally } from "./progress.ts";
import { Refused } from "./refused.ts";
import { selectedByItself } from "./selection.ts";
import type { Choices } from "./settings.ts";
import { ChangedFile, eachPiece, type SourceFile, UnreadableFile } from "./source.ts";

const module = "../node_modules/brotli-wasm/pkg.web/brotli_wasm_bg.wasm";
const platforms: readonly (readonly [string, Platform])[] = [
  ["Node", nodePlatform],
  ["a page", pagePlatform(readFileSync(new URL(module, import.meta.url)))],
];

const piece = 65_536;
type Content = string | Uint8Array<ArrayBuffer>;

/** Its stream gives the bytes in pieces, as that of a browser does. */
function sourceOf(path: string, content: Content): SourceFile {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const stream = () =>
    new ReadableStream<Uint8Array>({
      start(controller) {
        for (let from = 0; from < bytes.length; from += piece) controller.enqueue(bytes.slice(from, from + piece));
        controller.close();
      },
    });
  return { path, size: bytes.length, stream };
}

const sourcesOf = (files: Readonly<Record<string, Content>>) =>
  Object.entries(files).map(([path, content]) => sourceOf(path, content));

/** Copies in memory. */
class Memory implements CopyStore<SourceFile> {
  readonly known: KnownCopies = new Map();
  readonly files = new Map<string, SourceFile>();
  read = () => this.known;
  write = () => {};
  find = (sha256: string) => this.files.get(sha256);
  async keep(sha256: string, bytes: ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>) {
    const file = sourceOf(sha256, bytes instanceof Uint8Array ? bytes : await bytesOf(bytes));
    this.files.set(sha256, file);
    return file;
  }
}

async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  await eachPiece(stream, (one) => void pieces.push(one));
  return new Uint8Array(Buffer.concat(pieces));
}

interface Given {
  readonly choices?: Choices;
  readonly live?: ReleaseSettings;
  readonly platform?: Platform;
  readonly progress?: Progress;
  readonly kept?: Map<SourceFile["stream"], FileFacts>;
  readonly store?: Memory;
  readonly signal?: AbortSignal;
}

interface Prepared extends Omit<PreparedRelease<SourceFile>, "files"> {
  readonly files: readonly ReleaseFile[];
  readonly indexes: readonly Uint8Array[];
  readonly secrets: readonly string[];
  readonly ignored: readonly string[];
}

async function preparedFrom(sources: readonly SourceFile[], given: Given = {}): Promise<Prepared> {
  const { choices = { leftOut: [] }, live, store = new Memory() } = given;
  const shared = { platform: nodePlatform, progress: silent, ...given };
  const beginning = live ? { ...freshBeginning, live, decided: live } : freshBeginning;
  const {
    files: listed,
    file,
    secrets,
    ignored,
    advice,
  } = await selectedByItself(sources, { ...choices, slug: "bounce" });
  const options = { ...shared, file, choices, beginning, words: projectFileWords, ofBytes: sourceOf };
  const release = await prepare(listed, options);
  const copies = await copiesOf(release.files, new CopyMaker({ ...shared, store }), shared.platform);
  const files = manifestFiles(release, copies);
  const indexes = [...copies.indexes.values()].map(({ bytes }) => bytes);
  return { ...release, files, indexes, secrets, ignored, advice: [...advice, ...release.advice] };
}

const prepared = async (files: Readonly<Record<string, Content>>, given?: Given) =>
  await preparedFrom(sourcesOf(files), given);

async function refusalOf(files: Readonly<Record<string, Content>>, given?: Given): Promise<Refused> {
  const refusal = await prepared(files, given).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(Refused);
  return refusal as Refused;
}

/* What Node and a page do each with their own hashes and their own Brotli. */
describe.each(platforms)("in %s", (_, platform) => {
  test("files have their SHA-256, and are sorted by path", async () => {
    const { files } = await prepared({ "index.html": "1", "a.js": "2" }, { platform });
    const of = (text: string) => createHash("sha256").update(text).digest("hex");
    expect(files).toEqual([
      { path: "a.js", size: 1, sha256: of("2") },
      { path: "index.html", size: 1, sha256: of("1") },
    ]);
  });

  test("a copy is the file in Brotli, for each file with the same bytes", async () => {
    const text = Array.from({ length: 300_000 }, (_, index) => `${index % 977} `).join("");
    const store = new Memory();
    let counted = 0;
    const add = ({ bytes }: Tally) => {
      counted += bytes;
    };
    const files = {
      "index.html": "1",
      "a.js": text,
      "b.wasm": text,
      "c.bin": randomBytes(60_000) as Uint8Array<ArrayBuffer>,
      "d.js": text.slice(0, 4_000),
      "e.js": text.slice(1, 60_001),
    };
    const {
      files: [a, b, c, d, e, index],
    } = await prepared(files, { platform, store, progress: { ...silent, add } });
    for (const [file, content] of [
      [a, text],
      [d, files["d.js"]],
      [e, files["e.js"]],
    ] as const) {
      const copy = store.files.get(file?.sha256 ?? "");
      const bytes = Buffer.from(copy ? await bytesOf(copy.stream()) : []);
      expect(brotliDecompressSync(bytes).toString()).toBe(content);
      expect(file?.br).toEqual({ size: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") });
      expect(bytes.length).toBeLessThan(content.length / 2);
    }
    expect(b?.br).toEqual(a?.br);
    for (const none of [c, index]) expect(none).not.toHaveProperty("br");
    // Each file is hashed; of two with the same bytes one is compressed.
    expect(counted).toBe(2 * text.length + 60_001 + 64_000 + text.length + 60_000 + 64_000);
  });

  test("a file above 16 MiB has the name that its parts give, their hashes, and the index of its chunks", async () => {
    const mebibyte = 1024 * 1024;
    const bytes = new Uint8Array(16 * mebibyte + 1).fill(7, 5 * mebibyte);
    const parts = [0, 5, 10, 15].map((from) =>
      createHash("sha256")
        .update(bytes.subarray(from * mebibyte, (from + 5) * mebibyte))
        .digest("hex"),
    );
    const { files, indexes } = await prepared({ "index.html": "1", "world.mp4": bytes }, { platform });
    expect(files[1]).toMatchObject({ path: "world.mp4", size: bytes.length, sha256: nameOfParts(parts), parts });
    const index = Buffer.from(indexes[0] ?? []);
    expect(files[1]?.index).toEqual({ size: index.length, sha256: createHash("sha256").update(index).digest("hex") });
    expect(index.toString("latin1", 0, 4)).toBe("svc1");
    const lengths = Array.from({ length: (index.length - 4) / 7 }, (_, number) => index.readUIntLE(4 + 7 * number, 3));
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(bytes.length);
  });

  test("a compressed copy above 16 MiB has parts and an index too", async () => {
    const bytes = new Uint8Array(20 * 1024 * 1024);
    for (let from = 0; from < 17 * 1024 * 1024; from += piece)
      crypto.getRandomValues(bytes.subarray(from, from + piece));
    const { files } = await prepared({ "index.html": "1", "world.pck": bytes }, { platform });
    expect(files[1]?.br).toMatchObject({ parts: expect.any(Array), index: { size: expect.any(Number) } });
  }, 120_000);

  test("a token is found in what is compressed, and what cannot be unpacked is published", async () => {
    const token = tokenOf("k".repeat(22), "r".repeat(32));
    const text = `${"a".repeat(300_000)} const t = "${token}"`;
    for (const [path, bytes] of [
      ["a.js.gz", gzipSync(text)],
      ["game.bin", gzipSync(text)],
      ["a.js.br", brotliCompressSync(text)],
      ["a.data.unityweb", brotliCompressSync(text)],
    ] as const)
      expect(await refusalOf({ "index.html": "1", [path]: new Uint8Array(bytes) }, { platform })).toMatchObject({
        reason: { code: "token_in_folder" },
        places: [`${path}: contains the svc token pat_…${token.slice(-4)}`],
      });
    const broken = { "a.gz": new Uint8Array(gzipSync(text).subarray(0, 20)), "b.js.br": text.slice(0, 99) };
    expect((await prepared({ "index.html": "1", ...broken }, { platform })).advice).toEqual([]);
  });

  test("other secrets are found in what is compressed, up to the first byte that cannot be unpacked", async () => {
    const [words = "", text = ""] = secretCases[4] ?? [];
    const cut = gzipSync(randomBytes(90_000).toString("hex") + text).subarray(0, 60_000);
    const files = {
      "a.js.gz": new Uint8Array(gzipSync(text)),
      "b.js.gz": new Uint8Array(cut),
      "c.js.br": text,
      "d.js.br": "",
    };
    const { advice } = await prepared({ "index.html": "", ...files }, { platform });
    expect(advice).toEqual([{ code: "secret_in_file", places: ["a.js.gz"], secret: words }]);
  });

  test("a file named .gz or .br that is none, or that the game unpacks, is sent as it is stored", async () => {
    const gzip = new Uint8Array([0x1f, 0x8b, 8, 0]);
    const large = new Uint8Array(200_000);
    large.set(gzip);
    const all = {
      "index.html": "1",
      "svc.toml": 'raw = ["mine.data.gz"]',
      "mine.data.gz": gzip,
      "game.data.gz": gzip,
      "large.data.gz": large,
      "script.js.br": new Uint8Array(brotliCompressSync("any")),
      "large.js.br": new Uint8Array(brotliCompressSync(randomBytes(200_000))),
      "none.js.br": "any",
      "empty.js.br": "",
      "cut.js.br": new Uint8Array(brotliCompressSync(randomBytes(200_000)).subarray(0, 150_000)),
      "longer.js.br": new Uint8Array([...brotliCompressSync("any"), 0x21]),
      "much-longer.js.br": new Uint8Array([...brotliCompressSync("any"), ...new Uint8Array(200_000)]),
      "gzip.js.br": new Uint8Array(gzipSync("any")),
      "text.data.gz": "text",
      "x.data.gz": new Uint8Array([0x1f, 0]),
    };
    const { files } = await prepared(all, { platform });
    expect(files.filter(({ encoding }) => encoding).map(({ path }) => path)).toEqual([
      "cut.js.br",
      "empty.js.br",
      "gzip.js.br",
      "longer.js.br",
      "mine.data.gz",
      "much-longer.js.br",
      "none.js.br",
      "text.data.gz",
      "x.data.gz",
    ]);
  });

  test.each([
    ["small", 6_000],
    ["large", 120_000],
  ])("a %s file that is another one when it is compressed is refused", async (_, size) => {
    let reads = 0;
    const changing = { ...sourceOf("a.js", "let a;".repeat(size / 6)) };
    const other = sourceOf("a.js", "let b;".repeat(size / 6));
    const stream = () => (++reads === 1 ? changing.stream() : other.stream());
    const refusal = await preparedFrom([sourceOf("index.html", "1"), { ...changing, stream }], { platform }).catch(
      (error: unknown) => error,
    );
    expect(refusal).toMatchObject({ reason: { code: "folder_changes" }, places: ["a.js: changed while it was read"] });
  });

  test.each(["Hashing", "Compressing"])("an interruption while it is %s stops it with its reason", async (phase) => {
    const stop = new AbortController();
    let current = "";
    const progress = {
      ...silent,
      start: (now: string) => {
        current = now;
      },
      add: ({ bytes }: Tally) => {
        if (current === phase && bytes > 0) stop.abort(new Error("Interrupted"));
      },
    };
    const bytes = new Uint8Array(3_000_000).map((_, index) => index % 251);
    const given = { platform, progress, signal: stop.signal };
    await expect(prepared({ "index.html": "1", "a.pck": bytes }, given)).rejects.toThrow("Interrupted");
  });
});

test("svc.toml and .svcignore are obeyed and not published, and what may be a secret is named", async () => {
  const found = await prepared({
    "svc.toml": 'project = "other"\ndir = "build"\nignore = ["*.psd"]\nisolation = true\nspa = true',
    ".svcignore": "/drafts/",
    "build/.svcignore": "/old/",
    "build/old/x.txt": "1",
    "build/index.html": "1",
    "build/art.psd": "1",
    "build/drafts/x.txt": "1",
    "build/.env": "KEY=1",
    "build/node_modules/a/b.js": "1",
    "src/a.ts": "1",
  });
  expect(found.files.map(({ path }) => path)).toEqual(["index.html"]);
  expect(found.settings).toEqual({ ...off, isolation: true, spa: true });
  expect(found.secrets).toEqual([".env"]);
  expect(found.ignored).toHaveLength(5);
  expect(found.advice).toEqual([{ code: "project_differs", places: ["svc.toml"], project: "other", slug: "bounce" }]);
  expect((await prepared({ "svc.toml": 'project = "bounce"', "index.html": "1" })).advice).toEqual([]);
});

test("names of a zip that are only guessed are told", async () => {
  const guessed = { ...sourceOf("größe.png", "1"), isNameGuessed: true as const };
  expect((await preparedFrom([sourceOf("index.html", "1"), guessed])).advice).toEqual([
    { code: "names_guessed", places: ["größe.png"] },
  ]);
});

test("index.html is read as UTF-8, as which it is sent", async () => {
  const page = '<img src="größe.png"><img src="ゲーム.png"><img src="Ärger.png">';
  const files = { "größe.png": "1", "ゲーム.png": "1", "ärger.png": "1" };
  expect((await prepared({ ...files, "index.html": page })).advice).toEqual([
    { code: "reference_case_differs", places: ["ärger.png"], reference: "Ärger.png" },
  ]);
  const inLatin1 = Uint8Array.from([...'<img src="größe.png">'].map((letter) => letter.charCodeAt(0)));
  expect((await prepared({ ...files, "index.html": inLatin1 })).advice).toContainEqual({
    code: "page_not_utf8",
    places: ["index.html"],
  });
});

test("settings that nobody reads are named", async () => {
  const files = {
    "svc.toml": 'dir = "build"',
    "build/index.html": "1",
    "build/svc.toml": "",
    "build/.svcignore": "",
    "build/art/.svcignore": "",
  };
  const { advice } = await prepared(files);
  expect(advice).toEqual(
    ["art/.svcignore", "svc.toml"].map((path) => ({ code: "settings_file_unread", places: [path] })),
  );
});

test.each(["folder", "zip"])("of a %s only what is part of a game is published", async (kind) => {
  const all = Object.fromEntries(Object.values(names).flatMap((some) => some.map((path) => [path, "1"])));
  const sources = kind === "zip" ? await filesOfZip(await zipOf(all)) : sourcesOf(all);
  // The project's settings are another test's.
  const found = await preparedFrom(sources.filter(({ path }) => path !== "svc.toml"));
  expect(found.files.map(({ path }) => path)).toEqual(names.published.toSorted());
  expect(found.secrets).toEqual(names.secret.toSorted());
});

test("a file with a token of svc is refused, and other secrets in files are warned of", async () => {
  const token = tokenOf("k".repeat(22), "r".repeat(32));
  expect(await refusalOf({ "index.html": "1", "assets/a.js": `const t = "${token}"` })).toMatchObject({
    reason: { code: "token_in_folder" },
    places: [`assets/a.js: contains the svc token pat_…${token.slice(-4)}`],
  });
  for (const [words, text] of secretCases)
    expect((await prepared({ "index.html": text, "a.js": text })).advice).toContainEqual({
      code: "secret_in_file",
      places: ["a.js", "index.html"],
      secret: words,
    });
});

test("a .svcignore in UTF-16, which PowerShell's > writes, is obeyed, and a pattern that matches nothing is named", async () => {
  const ignored = new Uint8Array(Buffer.from("\ufeffsecret.txt\r\n*.psd\r\n", "utf16le"));
  const { files, advice } = await prepared({ "index.html": "1", "secret.txt": "2", ".svcignore": ignored });
  expect(files.map(({ path }) => path)).toEqual(["index.html"]);
  expect(advice).toEqual([{ code: "patterns_unmatched", places: ["*.psd (.svcignore)"] }]);
});

test("its picture is what index.html names, in UTF-8, however large the page is", async () => {
  // A piece ends within the two bytes of ö.
  const before = " ".repeat(piece - '<meta property="og:image" content="art/gr'.length - 1);
  const page = `${before}<meta property="og:image" content="art/größe.png">${" ".repeat(1_000_000)}`;
  const files = { "index.html": page, "art/größe.png": "P", "cover.png": "P" };
  expect(await prepared(files)).toMatchObject({ picture: "art/größe.png" });
  expect((await prepared({ "index.html": "1" })).picture).toBeUndefined();
});

test("a svc.toml that cannot be read, or names a folder outside, is refused", async () => {
  const reasonOf = async (toml: string) => (await refusalOf({ "svc.toml": toml, "index.html": "1" })).reason;
  expect(await reasonOf("tokken = 1")).toEqual({
    code: "invalid_project_file",
    problem: "has the unknown key tokken.",
  });
  for (const dir of ["../other", "/other"])
    expect(await reasonOf(`dir = "${dir}"`)).toEqual({ code: "folder_outside", dir });
  expect(await reasonOf(" ".repeat(65_537))).toEqual({ code: "text_too_large", path: "svc.toml" });
  expect(await reasonOf(`ignore = ["pat_${"0".repeat(60)}"]`)).toMatchObject({
    problem: expect.stringContaining("a token"),
  });
});

const vitePage = '<script type="module" src="/src/main.tsx"></script>';
const packageJson = JSON.stringify({ scripts: { build: "vite build" } });
const viteSource = { "index.html": vitePage, "package.json": packageJson, "src/main.tsx": "1" };

test.each<[string, Readonly<Record<string, Content>>, object]>([
  ["nothing", {}, { code: "folder_empty" }],
  ["no page", { "game.js": "1" }, { code: "no_index_html", instead: undefined }],
  ["an archive alone", { "game.rar": "Rar!" }, { code: "archive_inside" }],
  ["an archive beside others", { "a.rar": "Rar!", "game.js": "1" }, { code: "no_index_html" }],
  ["a project of Unity", { "Assets/a.cs": "1", "ProjectSettings/ProjectVersion.txt": "1" }, { code: "engine_project" }],
  ["a game that is installed", { "My Game.exe": "MZ" }, { code: "installed_game" }],
  ["a source without a page", { "package.json": packageJson, "public/index.html": "1" }, { hasPage: false }],
  [
    "a pointer of Git LFS",
    { "index.html": "1", "a.png": `version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\n` },
    { code: "lfs_pointers" },
  ],
])("a folder with %s is refused", async (_, files, reason) => {
  const refusal = await refusalOf(files);
  expect(refusal.reason).toMatchObject(reason);
  expect(refusal.offer).toBeUndefined();
});

test("a folder of 20,000 files is published, and one more is too many", async () => {
  const some = (count: number) =>
    assertPreparable(
      Array.from({ length: count }, (_, index) => sourceOf(index ? `${index}.js` : "index.html", "")),
      { choices: { leftOut: [] }, words: projectFileWords },
    );
  await expect(some(20_000)).resolves.toBeUndefined();
  await expect(some(20_001)).rejects.toMatchObject({ reason: { code: "too_many_files" } });
});

test("paths that the API refuses are refused before anything is hashed", async () => {
  const placesOf = async (...paths: string[]) =>
    (await refusalOf(Object.fromEntries([...paths, "index.html"].map((path) => [path, "1"])))).places;
  expect(await placesOf("a%20b.js", "a.js")).toEqual([expect.stringContaining("a%20b.js: must not")]);
  expect(await placesOf("A.js", "a.js")).toEqual([expect.stringContaining("only in upper and lower case")]);
  expect(await placesOf("../x.js")).toEqual([expect.stringContaining("must not have an empty, . or .. segment")]);
});

const offered = async (files: Readonly<Record<string, Content>>, { offer }: Refused) =>
  await prepared(files, { choices: { leftOut: [], ...offer } });

test.each<[string, Readonly<Record<string, Content>>, string, Partial<Choices>]>([
  [
    "other hosts' files",
    {
      "index.html": "1",
      _redirects: "/* /index.html 200",
      _headers: "/*\n  Cross-Origin-Embedder-Policy: require-corp",
    },
    "host_files",
    { leftOut: ["_headers", "_redirects"], isolation: true, spa: true },
  ],
  ["a game one level down", { "a/b/index.html": "1", "web/index.html": "1" }, "no_index_html", { folder: "web/" }],
  ...["Index.html", "index.htm", "My Story.html", "game.xhtml"]
    .map((page) => [`a game whose page is ${page}`, { [page]: "1" }, "no_index_html", { page }] as const)
    .map(([...one]) => one as [string, Record<string, Content>, string, Partial<Choices>]),
  ["names that are refused", { "index.html": "1", "a%20b.js": "1" }, "folder_refused", { leftOut: ["a%20b.js"] }],
  ["a source beside its build", { ...viteSource, "dist/index.html": "1" }, "source_folder", { folder: "dist/" }],
])("the refusal of %s offers a way on, which is published", async (_, files, code, offer) => {
  const refusal = await refusalOf(files);
  expect(refusal).toMatchObject({ reason: { code }, offer });
  const { files: published, settings } = await offered(files, refusal);
  expect(published.map(({ path }) => path)).toEqual(["index.html"]);
  const { isolation = false, spa = false } = offer;
  expect(settings).toMatchObject({ isolation, spa });
});

test("the source of a game is published if a person says so", async () => {
  const refusal = await refusalOf(viteSource);
  expect(refusal).toMatchObject({ reason: { hasPage: true }, offer: { isForced: true } });
  expect((await offered(viteSource, refusal)).files).toHaveLength(3);
});

test("lines of files that configure other hosts are named", async () => {
  const { places } = await refusalOf({ "index.html": "1", _redirects: "/* /index.html 200" });
  expect(places).toEqual([expect.stringContaining("_redirects, line 1: spa = true in svc.toml sends")]);
});

test("of names that are refused only those are left out", async () => {
  const { offer } = await refusalOf({ "index.html": "1", "a.js": "1", "%20a.js": "1" });
  expect(offer).toEqual({ leftOut: ["%20a.js"] });
});

const failing = (error: Error) => () => new ReadableStream({ start: (body) => body.error(error) });
const readAs = (stream: () => ReadableStream<Uint8Array>) =>
  preparedFrom([sourceOf("index.html", "1"), { ...sourceOf("a.txt", "123"), stream }]);

test.each<[string, () => ReadableStream<Uint8Array>, string, string]>([
  ["has more bytes than it had", () => new Blob(["1234"]).stream(), "folder_changes", "changed while it was read"],
  ["is gone", failing(new ChangedFile()), "folder_changes", "changed while it was read"],
  [
    "the browser does not give",
    failing(new DOMException("gone", "NotReadableError")),
    "folder_unreadable",
    "cannot be read: gone",
  ],
  ["the system does not give", failing(new UnreadableFile("EIO")), "folder_unreadable", "cannot be read: EIO"],
])("a file that %s is refused", async (_, stream, code, place) => {
  await expect(readAs(stream)).rejects.toMatchObject({ reason: { code }, places: [`a.txt: ${place}`] });
});

test("a damaged zip, and a fault of our own, are called so", async () => {
  await expect(readAs(failing(new ZipProblem("The zip is damaged")))).rejects.toThrow("The zip is damaged");
  await expect(readAs(failing(new TypeError("x is undefined")))).rejects.toThrow(TypeError);
});

test("a page that cannot be read once more for its picture is published without", async () => {
  let reads = 0;
  const page = '<meta property="og:image" content="art.png">';
  const stream = () => (++reads <= 2 ? new Blob([page]).stream() : failing(new Error("gone"))());
  const found = await preparedFrom([{ ...sourceOf("index.html", page), stream }, sourceOf("art.png", "1")]);
  expect(found).toMatchObject({ files: [{}, { path: "index.html" }], picture: undefined });
});

test("a script makes shared memory wherever in it that stands", async () => {
  const script = `${"let a;".repeat(30_000)}new SharedArrayBuffer(8)`;
  const { switches } = await prepared({ "index.html": "1", "game.js": script });
  expect(switches.isolation).toMatchObject({ isOn: true, by: "build" });
});

test("what svc.toml leaves uncompressed has no Brotli copy, also if another file with the same bytes has one", async () => {
  const texts = { "a.json": "a".repeat(5_000), "words.sqlite3": "a".repeat(5_000) };
  const { files } = await prepared({ "index.html": "1", ...texts, "svc.toml": 'uncompressed = ["*.sqlite3"]' });
  expect(files.map(({ path, br }) => [path, br !== undefined])).toEqual([
    ["a.json", true],
    ["index.html", false],
    ["words.sqlite3", false],
  ]);
});

test.each([
  ["index.html", 1_023, false],
  ["index.html", 1_024, true],
  ["engine.wasm", 5_000, true],
  ["art.png", 5_000, false],
  // The game loads them as they are, whatever is in them.
  ["game.data.br", 5_000, false],
  ["level.json.gz", 5_000, false],
  ["icon.svgz", 5_000, false],
])("%s of %i bytes: a candidate for a copy is %s", (path, size, expected) => {
  expect(mayHaveVariant({ path, size })).toBe(expected);
});

test("it warns of wrong case and missing files", async () => {
  const { advice } = await prepared({
    "index.html": '<script src="Game.js"></script><img src="no.png">',
    "game.js": "1",
  });
  expect(advice).toEqual([
    { code: "reference_case_differs", places: ["game.js"], reference: "Game.js" },
    { code: "reference_missing", places: ["index.html"], reference: "no.png" },
  ]);
});

const off: ReleaseSettings = {
  isolation: false,
  immutable: [],
  spa: false,
  frame: "everybody",
  preload: [],
  updates: "content",
};

const threads = { "index.html": "1", "game.worker.js": "1", "game.wasm": "1" };
test.each([
  ["a build with threads", threads, {}, { isOn: true, by: "build" }, true],
  ["a build without", { "index.html": "1" }, {}, { isOn: false, by: "nobody" }, false],
  [
    "threads off by the person",
    threads,
    { choices: { leftOut: [], isolation: false } },
    { isOn: false, by: "person" },
    false,
  ],
  [
    "threads off by svc.toml",
    { ...threads, "svc.toml": "isolation = false" },
    { choices: { leftOut: [], isolation: true } },
    { isOn: false, by: "file" },
    false,
  ],
  [
    "a live release with threads",
    { "index.html": "1" },
    { live: { ...off, isolation: true } },
    { isOn: true, by: "kept" },
    true,
  ],
  [
    "a live release that loads others' files",
    threads,
    { live: { ...off, isolation: "credentialless" as const } },
    { isOn: true, by: "build" },
    "credentialless",
  ],
])("%s: who decides the switch Threads, and what it means", async (_, files, given, decided, isolation) => {
  const { switches, settings } = await prepared(files, given);
  expect(switches.isolation).toMatchObject(decided);
  expect(settings.isolation).toBe(isolation);
});

test("what browsers keep is only offered, and stays as it is in the live release", async () => {
  const files = { "index.html": "1", "assets/index-DkA3x9b2.js": "1" };
  const { switches, settings } = await prepared(files);
  expect(switches.immutable).toEqual({ isOn: false, by: "nobody", patterns: ["assets/**"] });
  expect(settings.immutable).toEqual([]);
  const chosen = await prepared(files, { choices: { leftOut: [], immutable: true } });
  expect(chosen.settings.immutable).toEqual(["assets/**"]);
  const before = await prepared(files, { live: { ...off, immutable: ["lib/*"], spa: true } });
  expect(before.settings).toEqual({ ...off, immutable: ["lib/*"], spa: true });
});

test.each([
  ["nobody has decided", {}, {}, "everybody", false],
  ["the live release has it", {}, { live: { ...off, frame: "nobody" as const } }, "nobody", false],
  [
    "the person has chosen",
    {},
    { live: { ...off, frame: "nobody" as const }, choices: { leftOut: [], frame: ["https://portal.example"] } },
    ["https://portal.example"],
    false,
  ],
  [
    "svc.toml says it",
    { "svc.toml": 'frame = "nobody"' },
    { choices: { leftOut: [], frame: "everybody" as const } },
    "nobody",
    true,
  ],
])("who may show the game in a frame, if %s", async (_, files, given, frame, isByFile) => {
  const { switches, settings } = await prepared({ "index.html": "1", ...files }, given);
  expect(switches.frame).toMatchObject({ value: frame, isByFile });
  expect(settings.frame).toEqual(frame);
});

const chosen = { path: "cover.png", bytes: btoa("picture") } as const;

test("a picture that the person chooses is a file of the release, in place of one at its path, and its picture", async () => {
  const page = '<meta property="og:image" content="art.png">';
  const files = { "index.html": page, "art.png": "1", "cover.png": "from the folder" };
  const before = await prepared(files);
  expect(before.picture).toBe("art.png");
  const { files: listed, picture } = await prepared(files, { choices: { leftOut: ["cover.png"], picture: chosen } });
  expect(picture).toBe("cover.png");
  expect(listed.map(({ path, size }) => `${path} ${size}`)).toEqual([
    "art.png 1",
    "cover.png 7",
    `index.html ${page.length}`,
  ]);
});

test("a picture that was chosen for the live release is one of this release too, without its bytes", async () => {
  const sha256 = createHash("sha256").update("kept").digest("hex");
  const kept = { path: "cover.png", size: 4, sha256, url: null };
  const files = { "index.html": "1", "cover.png": "from the folder" };
  const choices = { leftOut: ["notes/"], page: "a.html", picture: kept };
  expect(await prepared(files, { choices })).toMatchObject({
    files: [{ path: "cover.png", size: 4, sha256 }, { path: "index.html" }],
    picture: "cover.png",
    choices: { left_out: ["notes/"], index: "a.html", picture: true, isolation_off: false },
  });
});

describe("a file of the folder that the person chooses as the picture", () => {
  const files = { "index.html": "1", "cover.png": "cover", "art/boss.png": "boss", "game.js": "1" };
  const boss = { path: "art/boss.png" };
  const bytesOf = (found: Awaited<ReturnType<typeof prepared>>) => found.files.map(({ path, size }) => [path, size]);

  test("is shown of this release, which has the same files, and kept for the next", async () => {
    const found = await prepared(files, { choices: { leftOut: [], picture: boss } });
    expect(found).toMatchObject({ picture: "art/boss.png", choices: { picture: true }, keptPicture: undefined });
    expect(bytesOf(found)).toEqual(bytesOf(await prepared(files)));
  });

  test("is the next folder's own file then, never the bytes of before", async () => {
    const kept = { ...boss, size: 4, sha256: "a".repeat(64), url: null };
    const changed = { ...files, "art/boss.png": "another boss" };
    const found = await prepared(changed, { choices: { leftOut: [], picture: kept } });
    expect(found).toMatchObject({ picture: "art/boss.png", choices: { picture: true }, keptPicture: undefined });
    expect(bytesOf(found)).toEqual(bytesOf(await prepared(changed)));
  });

  test.each([
    ["is not there", { path: "none.png" }, []],
    ["is left out", boss, ["art/"]],
    ["is no image", { path: "game.js" }, []],
  ])("is none if it %s: then the folder decides", async (_, picture, leftOut) => {
    expect(await prepared(files, { choices: { leftOut, picture } })).toMatchObject({
      ...{ picture: "cover.png", choices: { picture: false } },
    });
  });

  test("is not kept if it is the folder's cover, which a later one must not lose to it", async () => {
    const found = await prepared(files, { choices: { leftOut: [], picture: { path: "cover.png" } } });
    expect(found).toMatchObject({ picture: "cover.png", choices: { picture: false } });
  });
});

test("a picture of the folder that is too large is named, and not taken", async () => {
  const large = new Uint8Array(2 * 1024 * 1024 + 1);
  const { picture, advice } = await prepared({ "index.html": "1", "cover.png": large });
  expect(picture).toBeUndefined();
  expect(advice).toEqual([{ code: "picture_too_large", places: ["cover.png"] }]);
});

test.each([
  ["of more than 200 kB is named, with its size", "cover.png", 262_600, 1],
  ["of 200 kB is not", "cover.png", 200_000, 0],
  ["that is a drawing, which is sent compressed, is not", "cover.svg", 300_000, 0],
  ["that is not shown is not", "art.png", 300_000, 0],
])("a picture %s, because a phone shows it late", async (_, path, size, count) => {
  const page = '<meta property="og:image" content="cover.svg">';
  const { advice } = await prepared({ "index.html": page, "cover.webp": "1", [path]: new Uint8Array(size) });
  const slow = advice.filter(({ code }) => code === "picture_slow");
  expect(slow.map((one) => adviceInWords(one))).toEqual(
    Array(count).fill(
      "cover.png has 263 kB, so on a phone the game's page may show it only after more than 1.5 seconds: make it at most 200 kB, for example as WebP.",
    ),
  );
});

test("what the person leaves out is not published", async () => {
  const { files } = await prepared(
    { "index.html": "1", "src/a.ts": "12", "notes.txt": "1", "notes.txt.2": "1" },
    { choices: { leftOut: ["src/", "notes.txt"] } },
  );
  expect(files.map(({ path }) => path)).toEqual(["index.html", "notes.txt.2"]);
});
