import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { expect, test } from "@jest/globals";
import type { ReleaseSettings } from "../../../contract/api/releases/release-settings.ts";
import { nameOfParts } from "../../../contract/folder/parts.ts";
import { filesOfZip } from "../../../contract/folder/zip.ts";
import { ZipProblem } from "../../../contract/folder/zip-problem.ts";
import { freshBeginning } from "../../../publisher/beginning.ts";
import type { Choices } from "../../../publisher/settings.ts";
import * as names from "../../../test/support/folder/names.ts";
import { secretCases, tokenOf } from "../../../test/support/folder/secret-texts.ts";
import { zipOf } from "../../../test/support/folder/zips.ts";
import { assertPublishable } from "./checks.ts";
import { withOffer } from "./offers.ts";
import { type Kept, prepare } from "./prepare.ts";
import type { PreparedFolder, Reading } from "./protocol.ts";
import { Refusal } from "./refusal.ts";
import { assertCount, type SourceFile } from "./source.ts";

const module = "../../../node_modules/brotli-wasm/pkg.web/brotli_wasm_bg.wasm";
const encoder = readFileSync(new URL(module, import.meta.url));

const piece = 65_536;
type Content = string | Uint8Array<ArrayBuffer>;

/** Its stream gives the bytes in pieces, as that of a browser does. */
function sourceOf([path, content]: [string, Content]): SourceFile {
  const blob = new Blob([content]);
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const stream = () =>
    new ReadableStream<Uint8Array>({
      start(controller) {
        for (let from = 0; from < bytes.length; from += piece) controller.enqueue(bytes.subarray(from, from + piece));
        controller.close();
      },
    });
  return { path, size: blob.size, stream, blob: async () => blob };
}

const noKept = (): Kept => ({ hashes: new Map(), variants: new Map() });

async function prepared(
  files: Readonly<Record<string, Content>>,
  { choices = { leftOut: [] }, live }: { choices?: Choices; live?: ReleaseSettings } = {},
): Promise<PreparedFolder> {
  const begun = live ? { ...freshBeginning, live, decided: live } : freshBeginning;
  const options = { slug: "bounce", encoder, onReading: () => {}, choices, begun, kept: noKept() };
  return (await prepare(Object.entries(files).map(sourceOf), options)).prepared;
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

test("a file above 16 MiB has the name that its parts give, their hashes, and the index of its chunks", async () => {
  const mebibyte = 1024 * 1024;
  const bytes = new Uint8Array(16 * mebibyte + 1).fill(7, 5 * mebibyte);
  const parts = [0, 5, 10, 15].map((from) =>
    createHash("sha256")
      .update(bytes.subarray(from * mebibyte, (from + 5) * mebibyte))
      .digest("hex"),
  );
  const options = { slug: "bounce", encoder, onReading: () => {}, choices: { leftOut: [] }, begun: freshBeginning };
  const sources = Object.entries({ "index.html": "1", "world.mp4": bytes }).map(sourceOf);
  const { prepared: folder, contents } = await prepare(sources, { ...options, kept: noKept() });
  const { files } = folder;
  expect(files[1]).toMatchObject({ path: "world.mp4", size: bytes.length, sha256: nameOfParts(parts), parts });
  const { size = 0, sha256 = "" } = files[1]?.index ?? {};
  const index = Buffer.from((await (await contents.get(sha256)?.blob())?.arrayBuffer()) ?? new ArrayBuffer(0));
  expect({ size, sha256 }).toEqual({ size: index.length, sha256: createHash("sha256").update(index).digest("hex") });
  expect(index.toString("latin1", 0, 4)).toBe("svc1");
  const lengths = Array.from({ length: (size - 4) / 7 }, (_, number) => index.readUIntLE(4 + 7 * number, 3));
  expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(bytes.length);
});

test("a compressed copy above 16 MiB has an index too", async () => {
  const bytes = new Uint8Array(20 * 1024 * 1024);
  for (let from = 0; from < 17 * 1024 * 1024; from += piece) crypto.getRandomValues(bytes.subarray(from, from + piece));
  const { files } = await prepared({ "index.html": "1", "world.pck": bytes });
  expect(files[1]?.br).toMatchObject({ parts: expect.any(Array), index: { size: expect.any(Number) } });
}, 120_000);

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
  expect(found.settings).toEqual({
    isolation: true,
    immutable: [],
    spa: true,
    frame: "everybody",
    preload: [],
    updates: "content",
  });
  expect(found.secrets).toEqual([".env"]);
  expect(found.leftOut).toBe(5);
  expect(found.warnings).toEqual(["svc.toml belongs to the project other; here it is published to bounce."]);
  expect((await prepared({ "svc.toml": 'project = "bounce"', "index.html": "1" })).warnings).toEqual([]);
});

test("names of a zip that are only guessed are told", async () => {
  const options = { slug: "bounce", encoder, onReading: () => {}, begun: freshBeginning, kept: noKept() };
  const sources = [sourceOf(["index.html", "1"]), { ...sourceOf(["größe.png", "1"]), isNameGuessed: true as const }];
  const { prepared: found } = await prepare(sources, { ...options, choices: { leftOut: [] } });
  expect(found.warnings).toEqual([
    "größe.png: the zip does not say how these names are written. If they are wrong here, publish the folder itself.",
  ]);
});

test("index.html is read as UTF-8, as which it is sent", async () => {
  const page = '<img src="größe.png"><img src="ゲーム.png"><img src="Ärger.png">';
  const files = { "größe.png": "1", "ゲーム.png": "1", "ärger.png": "1" };
  expect((await prepared({ ...files, "index.html": page })).warnings).toEqual([
    "index.html refers to Ärger.png, but the file is named ärger.png: upper and lower case differ.",
  ]);
  const inLatin1 = Uint8Array.from([...'<img src="größe.png">'].map((letter) => letter.charCodeAt(0)));
  expect((await prepared({ ...files, "index.html": inLatin1 })).warnings).toContain(
    "index.html is not in UTF-8, as which it is sent, so players see other letters: save it as UTF-8.",
  );
});

test("settings that nobody reads are named", async () => {
  const files = {
    "svc.toml": 'dir = "build"',
    "build/index.html": "1",
    "build/svc.toml": "",
    "build/.svcignore": "",
    "build/art/.svcignore": "",
  };
  const { warnings } = await prepared(files);
  expect(warnings.map((warning) => warning.split(" is not read")[0])).toEqual(["svc.toml", "art/.svcignore"]);
});

test.each(["folder", "zip"])("of a %s only what is part of a game is published", async (kind) => {
  const all = Object.fromEntries(Object.values(names).flatMap((some) => some.map((path) => [path, "1"])));
  const unpacked = async () =>
    (await filesOfZip(await zipOf(all))).map((file) => ({ ...file, blob: () => new Response(file.stream()).blob() }));
  const sources = kind === "zip" ? await unpacked() : Object.entries(all).map(sourceOf);
  const options = { slug: "bounce", encoder, onReading: () => {}, begun: freshBeginning, kept: noKept() };
  // The project's settings are another test's.
  const picked = sources.filter(({ path }) => path !== "svc.toml");
  const { prepared: found } = await prepare(picked, { ...options, choices: { leftOut: [] } });
  expect(found.files.map(({ path }) => path)).toEqual(names.published.toSorted());
  expect(found.secrets.toSorted()).toEqual(names.secret.toSorted());
});

test("a file with a token of svc is refused, and other secrets in files are warned of", async () => {
  const token = tokenOf("k".repeat(22), "r".repeat(32));
  expect(await refusalOf({ "index.html": "1", "assets/a.js": `const t = "${token}"` })).toBe(
    `A file contains a token of svc. Whoever plays the game could publish with it: revoke it, and build the game without it. svc publish needs no token in any file.\nassets/a.js: contains the svc token pat_…${token.slice(-4)}`,
  );
  for (const [words, text] of secretCases)
    expect((await prepared({ "index.html": text, "a.js": text })).warnings).toContain(
      `a.js and 1 more contain what looks like ${words}. Published files are public: if it is one, remove it and change it where it is used.`,
    );
});

test("a .svcignore in UTF-16, which PowerShell's > writes, is obeyed, and a pattern that matches nothing is named", async () => {
  const ignored = new Uint8Array(Buffer.from("\ufeffsecret.txt\r\n*.psd\r\n", "utf16le"));
  const { files, warnings } = await prepared({ "index.html": "1", "secret.txt": "2", ".svcignore": ignored });
  expect(files.map(({ path }) => path)).toEqual(["index.html"]);
  expect(warnings).toEqual(["Nothing in the folder matches *.psd (.svcignore)."]);
});

test("a token is found in what is compressed, and what cannot be unpacked is published", async () => {
  const token = tokenOf("k".repeat(22), "r".repeat(32));
  const text = `${"a".repeat(100_000)} const t = "${token}"`;
  for (const [path, bytes] of [
    ["a.js.gz", gzipSync(text)],
    ["game.bin", gzipSync(text)],
    ["a.js.br", brotliCompressSync(text)],
    ["a.data.unityweb", brotliCompressSync(text)],
  ] as const)
    expect(await refusalOf({ "index.html": "1", [path]: new Uint8Array(bytes) })).toContain(
      `${path}: contains the svc token pat_…${token.slice(-4)}`,
    );
  const broken = { "a.gz": new Uint8Array(gzipSync(text).subarray(0, 20)), "b.js.br": text.slice(0, 99) };
  expect((await prepared({ "index.html": "1", ...broken })).warnings).toEqual([]);
});

test("its picture is what index.html names, in UTF-8, however large the page is", async () => {
  // A piece ends within the two bytes of ö.
  const before = " ".repeat(piece - '<meta property="og:image" content="art/gr'.length - 1);
  const page = `${before}<meta property="og:image" content="art/größe.png">${" ".repeat(1_000_000)}`;
  const files = { "index.html": page, "art/größe.png": "P", "cover.png": "P" };
  expect(await prepared(files)).toMatchObject({ picture: "art/größe.png" });
  expect((await prepared({ "index.html": "1" })).picture).toBeUndefined();
});

test("a svc.toml that the command line refuses is refused", async () => {
  expect(await refusalOf({ "svc.toml": "tokken = 1", "index.html": "1" })).toBe("svc.toml has the unknown key tokken.");
  for (const dir of ["../other", "/other"])
    expect(await refusalOf({ "svc.toml": `dir = "${dir}"`, "index.html": "1" })).toContain("outside of this one");
  expect(await refusalOf({ "svc.toml": " ".repeat(65_537), "index.html": "1" })).toBe("svc.toml has more than 64 KiB.");
  expect(await refusalOf({ "svc.toml": `ignore = ["pat_${"0".repeat(60)}"]`, "index.html": "1" })).toContain("a token");
});

test("a folder without index.html is refused, with the folder that has one", async () => {
  expect(await refusalOf({ "game.js": "1" })).toContain("has no index.html");
  expect(await refusalOf({ "a/build/index.html": "1" })).toContain("There is one in a/build/");
  expect(await refusalOf({ "My Story.html": "1" })).toBe(
    "It has no index.html, the page that players open first, but My Story.html.",
  );
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
  expect(refusal).toContain("_redirects, line 1: the switch Single page sends");
  const decided = { "svc.toml": "spa = false", "index.html": "1", _redirects: "/* /index.html 200" };
  expect(await refusalOf(decided)).toContain("_redirects, line 1: spa = true in svc.toml sends");
});

test.each([
  [
    "other hosts' files",
    {
      "index.html": "1",
      _redirects: "/* /index.html 200",
      _headers: "/*\n  Cross-Origin-Embedder-Policy: require-corp",
    },
    { choices: { leftOut: ["_headers", "_redirects"], isolation: true, spa: true } },
  ],
  ["a game one level down", { "a/b/index.html": "1", "web/index.html": "1" }, { choices: { folder: "web/" } }],
  ...["Index.html", "index.htm", "My Story.html", "game.xhtml"].map(
    (page) => [`a game whose page is ${page}`, { [page]: "1" }, { choices: { page } }] as const,
  ),
  ["names that are refused", { "index.html": "1", "a%20b.js": "1" }, { choices: { leftOut: ["a%20b.js"] } }],
])("the refusal of %s offers a way on, which is published", async (_, files, offer) => {
  const refusal = (await prepared(files).catch((error: unknown) => error)) as Refusal;
  expect(refusal.offer).toMatchObject(offer);
  if (refusal.offer === undefined) throw new Error("It offers nothing");
  const { files: published, settings } = await prepared(files, { choices: withOffer({ leftOut: [] }, refusal.offer) });
  expect(published.map(({ path }) => path)).toEqual(["index.html"]);
  const { isolation = false, spa = false } = offer.choices as Partial<Choices>;
  expect(settings).toMatchObject({ isolation, spa });
});

test("a way on leaves what was chosen before, and out what was left out", () => {
  const choices = { leftOut: ["notes/", "a.js"], spa: true };
  expect(withOffer(choices, { label: "", choices: { leftOut: ["a.js", "b.js"], isolation: true } })).toEqual({
    leftOut: ["notes/", "a.js", "b.js"],
    spa: true,
    isolation: true,
  });
  expect(withOffer(choices, { label: "", choices: { folder: "web/" } })).toEqual({ ...choices, folder: "web/" });
});

test("of names that are refused only those are left out", async () => {
  const files = { "index.html": "1", "a.js": "1", "%20a.js": "1" };
  const refusal = (await prepared(files).catch((error: unknown) => error)) as Refusal;
  expect(refusal.offer?.choices).toEqual({ leftOut: ["%20a.js"] });
});

const refusalFor = (work: () => unknown) => {
  try {
    return work();
  } catch (error) {
    return error instanceof Refusal ? error.message : error;
  }
};

test("20,000 files are published, 100,000 are read, none is too few", async () => {
  const some = (count: number) =>
    Array.from({ length: count }, (_, index) => sourceOf([index ? `${index}.js` : "index.html", ""]));
  expect(refusalFor(() => assertPublishable(some(20_000)))).toBeUndefined();
  expect(refusalFor(() => assertPublishable(some(20_001)))).toContain("more than 20,000 files");
  expect(refusalFor(() => assertCount(100_000))).toBeUndefined();
  expect(refusalFor(() => assertCount(100_001))).toContain("more than 100,000 files");
  expect(await refusalOf({})).toBe("There is nothing in it to publish. Build the game first.");
});

/** A file that is another one when its bytes are read. */
async function refusalOfRead(stream: () => ReadableStream<Uint8Array>): Promise<unknown> {
  const source = { ...sourceOf(["index.html", "123"]), stream };
  const options = { slug: "bounce", encoder, onReading: () => {}, choices: { leftOut: [] }, begun: freshBeginning };
  return await prepare([source], { ...options, kept: noKept() }).catch((error: unknown) =>
    error instanceof Refusal || error instanceof ZipProblem ? error.message : error,
  );
}

const failing = (error: Error) => () => new ReadableStream({ start: (body) => body.error(error) });

test.each<[string, () => ReadableStream<Uint8Array>, string]>([
  ["has more bytes than it had", () => new Blob(["1234"]).stream(), "index.html changed while it was read."],
  ["cannot be read", failing(new DOMException("gone", "NotReadableError")), "index.html cannot be read."],
  ["is damaged in a zip", failing(new ZipProblem("The zip is damaged")), "The zip is damaged"],
])("a file that %s is refused", async (_, stream, message) => {
  expect(await refusalOfRead(stream)).toContain(message);
});

test("a page that cannot be read once more for its picture is published without", async () => {
  let reads = 0;
  const blob = new Blob(["123"]);
  const found = await refusalOfRead(() => (++reads === 1 ? blob.stream() : failing(new Error("gone"))()));
  expect(found).toMatchObject({ prepared: { files: [{ path: "index.html" }] } });
});

test("a script makes shared memory wherever in it that stands, and what is uploaded is found by its SHA-256", async () => {
  const script = `${"let a;".repeat(30_000)}new SharedArrayBuffer(8)`;
  const sources = Object.entries({ "index.html": "1", "game.js": script }).map(sourceOf);
  const options = { slug: "bounce", encoder, onReading: () => {}, choices: { leftOut: [] }, begun: freshBeginning };
  const { prepared: found, contents } = await prepare(sources, { ...options, kept: noKept() });
  expect(found.switches.isolation).toMatchObject({ isOn: true, by: "build" });
  const [game, index] = found.files;
  const sizes = [game?.sha256, game?.br?.sha256, index?.sha256].map((sha256) => contents.get(sha256 ?? "")?.size);
  expect(sizes).toEqual([script.length, game?.br?.size, 1]);
});

test("an archive that is no zip says what to do", async () => {
  expect(await refusalOf({ "game.rar": "Rar!" })).toBe(
    "It has nothing but game.rar, an archive that svc does not unpack. Unpack it, and publish the folder that has the game's index.html, or a zip of that folder.",
  );
  expect(await refusalOf({ "a.rar": "Rar!", "game.js": "1" })).toContain("has no index.html");
});

test("a project of an engine, and a game that is installed, say how browsers can play it", async () => {
  expect(await refusalOf({ "Assets/a.cs": "1", "ProjectSettings/ProjectVersion.txt": "1" })).toBe(
    "It is a project of Unity, not a game that browsers can play. Export it for browsers (File > Build Profiles > Web > Build), and publish the folder that is written.",
  );
  expect(await refusalOf({ "My Game.exe": "MZ" })).toContain("a game that is installed on Windows");
});

const vitePage = '<script type="module" src="/src/main.tsx"></script>';
const packageJson = JSON.stringify({ scripts: { build: "vite build" } });

test("the source of a game is published only if a person says so, and its build is offered if it is there", async () => {
  const source = { "index.html": vitePage, "package.json": packageJson, "src/main.tsx": "1" };
  expect(await refusalOf(source)).toBe(
    "It has the source of a game, not its build: index.html loads /src/main.tsx, which browsers cannot run. Build it first: npm run build. Then publish the folder that it writes.",
  );
  const built = { ...source, "dist/index.html": "1" };
  const refusal = await prepared(built).catch((error: unknown) => error);
  expect((refusal as Refusal).offer).toEqual({ label: "Publish the folder dist/", choices: { folder: "dist/" } });
  expect((await prepared(built, { choices: { leftOut: [], folder: "dist/" } })).files).toHaveLength(1);
  expect((await prepared(source, { choices: { leftOut: [], isForced: true } })).files).toHaveLength(3);
  expect(await refusalOf({ "package.json": packageJson, "public/index.html": "1" })).toContain("npm run build");
});

test("what svc.toml leaves uncompressed has no Brotli copy", async () => {
  const texts = { "a.json": "a".repeat(5_000), "words.sqlite3": "a".repeat(5_000) };
  const { files } = await prepared({ "index.html": "1", ...texts, "svc.toml": 'uncompressed = ["*.sqlite3"]' });
  expect(files.map(({ path, br }) => [path, br !== undefined])).toEqual([
    ["a.json", true],
    ["index.html", false],
    ["words.sqlite3", false],
  ]);
});

test("a pointer of Git LFS is refused", async () => {
  const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n";
  expect(await refusalOf({ "index.html": "1", "art/cover.png": pointer })).toBe(
    "Some files are pointers of Git LFS, not the files themselves. Fetch the files: git lfs pull. In GitHub Actions: actions/checkout with lfs: true, in the job that builds the game.\nart/cover.png: is a pointer of Git LFS, not the file",
  );
});

test("it warns of wrong case and missing files", async () => {
  const { warnings } = await prepared({
    "index.html": '<script src="Game.js"></script><img src="no.png">',
    "game.js": "1",
  });
  expect(warnings).toEqual([
    "index.html refers to Game.js, but the file is named game.js: upper and lower case differ.",
    "index.html refers to no.png, which is not in the folder.",
  ]);
});

const threads = { "index.html": "1", "game.worker.js": "1", "game.wasm": "1" };
const off = {
  isolation: false,
  immutable: [],
  spa: false,
  frame: "everybody" as const,
  preload: [],
  updates: "content" as const,
};

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

test("a warning names the switch, and svc.toml if that decides", async () => {
  const isOff = { choices: { leftOut: [], isolation: false } };
  expect((await prepared(threads, isOff)).warnings).toEqual([
    "game.worker.js belongs to a build with threads, so the game may need the switch Threads.",
  ]);
  expect((await prepared({ ...threads, "svc.toml": "isolation = false" })).warnings).toEqual([
    "game.worker.js belongs to a build with threads, so the game may need isolation = true in svc.toml.",
  ]);
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
  const options = { slug: "bounce", encoder, onReading: () => {}, begun: freshBeginning, kept: noKept() };
  const choices = { leftOut: ["notes/"], page: "a.html", picture: kept };
  const { prepared, contents } = await prepare(Object.entries(files).map(sourceOf), { ...options, choices });
  expect(prepared).toMatchObject({
    files: [{ path: "cover.png", size: 4, sha256 }, { path: "index.html" }],
    picture: "cover.png",
    choices: { left_out: ["notes/"], index: "a.html", picture: true, isolation_off: false },
  });
  await expect(contents.get(sha256)?.blob()).rejects.toThrow("is not stored any more");
});

test("a picture of the folder that is too large is named, and not taken", async () => {
  const large = new Uint8Array(2 * 1024 * 1024 + 1);
  const { picture, warnings } = await prepared({ "index.html": "1", "cover.png": large });
  expect(picture).toBeUndefined();
  expect(warnings).toEqual(["cover.png has more than 2 MiB, so it is not the game's picture. Make it smaller."]);
});

test("what the person leaves out is not published, but stays in the list of what there is", async () => {
  const { files, entries } = await prepared(
    { "index.html": "1", "src/a.ts": "12", "src/b.ts": "1", "notes.txt": "1", "notes.txt.2": "1" },
    { choices: { leftOut: ["src/", "notes.txt"] } },
  );
  expect(files.map(({ path }) => path)).toEqual(["index.html", "notes.txt.2"]);
  expect(entries).toContainEqual({ name: "src/", files: 2, bytes: 3, isLeftOut: true });
  expect(entries.filter(({ isLeftOut }) => isLeftOut).map(({ name }) => name)).toEqual(["notes.txt", "src/"]);
});

test("with another choice no file is read again, and the progress comes to its end", async () => {
  const [kept, reads, readings] = [noKept(), [] as string[], [] as Reading[]];
  const sources = Object.entries<Content>({
    "index.html": "1",
    "a.js": "let a;".repeat(1_000),
    "b.bin": randomBytes(5_000),
  })
    .map(sourceOf)
    .map((source) => ({
      ...source,
      stream: () => {
        reads.push(source.path);
        return source.stream();
      },
    }));
  const onReading = (reading: Reading) => readings.push(reading);
  const options = { slug: "bounce", encoder, onReading, begun: freshBeginning, kept };
  const first = await prepare(sources, { ...options, choices: { leftOut: [] } });
  const compressed = { step: "compressing", bytes: 11_000, totalBytes: 11_000, totalFiles: 2 };
  expect(readings.at(-1)).toMatchObject(compressed);
  const readBefore = reads.filter((path) => path !== "index.html");
  const second = await prepare(sources, { ...options, choices: { leftOut: [], spa: true } });
  expect(second.prepared.files).toEqual(first.prepared.files);
  expect(reads.filter((path) => path !== "index.html")).toEqual(readBefore);
  const bytes = 11_001;
  expect(readings.findLast(({ step }) => step === "reading")).toMatchObject({ bytes, totalBytes: bytes });
});

test("a file named .gz or .br that is none, or that the game unpacks, is sent as it is stored", async () => {
  const gzip = new Uint8Array([0x1f, 0x8b, 8, 0]);
  const large = new Uint8Array(200_000);
  large.set(gzip);
  const { files } = await prepared({
    "index.html": "1",
    "svc.toml": 'raw = ["mine.data.gz"]',
    "mine.data.gz": gzip,
    "game.data.gz": gzip,
    "large.data.gz": large,
    "script.js.br": new Uint8Array(brotliCompressSync("any")),
    "none.js.br": "any",
    "cut.js.br": new Uint8Array(brotliCompressSync(randomBytes(200_000)).subarray(0, 150_000)),
    "longer.js.br": new Uint8Array([...brotliCompressSync("any"), 0x21]),
    "text.data.gz": "text",
    "x.data.gz": new Uint8Array([0x1f, 0]),
  });
  expect(files.filter(({ encoding }) => encoding).map(({ path }) => path)).toEqual([
    "cut.js.br",
    "longer.js.br",
    "mine.data.gz",
    "none.js.br",
    "text.data.gz",
    "x.data.gz",
  ]);
});
