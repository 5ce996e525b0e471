import { expect, test } from "@jest/globals";
import { BlobWriter, TextReader, ZipWriter } from "@zip.js/zip.js/index-native.js";
import { sayingSize, zipOf, zipOfMethod, zipWithName } from "../../test/support/folder/zips.ts";
import { filesOfZip, type ZipFile } from "./zip.ts";
import { ZipProblem } from "./zip-problem.ts";

type Entries = Readonly<Record<string, string>>;

const textOf = async (file: ZipFile) => await new Response(file.stream()).text();

async function contentOf(zip: File): Promise<Entries> {
  const files = await filesOfZip(zip);
  return Object.fromEntries(await Promise.all(files.map(async (file) => [file.path, await textOf(file)])));
}

async function refusalOf(zip: File): Promise<unknown> {
  const files = filesOfZip(zip).then((found) => Promise.all(found.map(textOf)));
  return await files.then(
    () => "taken",
    (error: unknown) => (error instanceof ZipProblem ? [error.message, ...error.places].join("\n") : error),
  );
}

test("a zip's files are read, also as zip64 and if they are stored without compression", async () => {
  const entries = { "index.html": "<h1>One</h1>", "a/b.txt": "0123456789".repeat(200_000) };
  expect(await contentOf(await zipOf(entries))).toEqual(entries);
  expect(await contentOf(await zipOf(entries, { zip64: true }))).toEqual(entries);
  expect(await contentOf(await zipOf(entries, { level: 0 }))).toEqual(entries);
});

test("the one folder that everything is in is taken away, and so is what macOS and Windows add", async () => {
  const litter = Object.fromEntries(
    ["__MACOSX/game/._index.html", ".DS_Store", "Thumbs.db"].map((path) => [path, "3"]),
  );
  const zip = await zipOf({ "game/index.html": "1", "game/art/a.txt": "2", "game/art/._a.txt": "3", ...litter });
  expect(await contentOf(zip)).toEqual({ "index.html": "1", "art/a.txt": "2" });
  expect(Object.keys(await contentOf(await zipOf({ "game/index.html": "1", "read.me": "2" })))).toEqual([
    "game/index.html",
    "read.me",
  ]);
});

test("the entries of folders are no files, and names are in form C", async () => {
  const writer = new ZipWriter(new BlobWriter(), { useWebWorkers: false });
  await writer.add("gro\u0308sse/", undefined, { directory: true });
  await writer.add("gro\u0308sse/index.html", new TextReader("1"));
  await writer.add("read.me", new TextReader("2"));
  const zip = new File([await writer.close()], "game.zip");
  expect(await contentOf(zip)).toEqual({ "gr\u00f6sse/index.html": "1", "read.me": "2" });
});

test("a file above 500 MiB, and files of more than 10 GiB together, are refused before they are unpacked", async () => {
  const limit = 500 * 1024 ** 2;
  const zip = async (count: number, size: number) => {
    const entries = Array.from({ length: count }, (_, index) => [`${index}.bin`, "0".repeat(1_000)]);
    return await sayingSize(await zipOf(Object.fromEntries(entries)), 1_000, size);
  };
  expect(await refusalOf(await zip(1, limit + 1))).toContain("0.bin: is larger than 500 MiB");
  expect(await refusalOf(await zip(21, limit))).toContain("unpacks to more than 10 GiB");
});

test("names are normalised once: those of tar -a -cf game.zip . and with empty segments", async () => {
  const zip = await zipOf({
    "./": "",
    "./index.html": "1",
    "./art//a.txt": "2",
    "./art/./b.txt": "3",
    "./.DS_Store": "",
  });
  expect(await contentOf(zip)).toEqual({ "index.html": "1", "art/a.txt": "2", "art/b.txt": "3" });
  expect(await contentOf(await zipOf({ "./game/index.html": "1", "game/a.txt": "2" }))).toEqual({
    "index.html": "1",
    "a.txt": "2",
  });
});

test("two names that are one after that are refused", async () => {
  expect(await refusalOf(await zipOf({ "./index.html": "1", "index.html": "2" }))).toContain(
    "index.html: is in the zip twice",
  );
  expect(await refusalOf(await zipOf({ "gro\u0308sse.txt": "1", "gr\u00f6sse.txt": "2" }))).toContain("twice");
});

test.each([
  [9, "Deflate64"],
  [14, "LZMA"],
  [93, "Zstandard"],
  [77, "method 77"],
])("a file that is compressed by method %i is refused with the name %s", async (method, name) => {
  const refusal = await refusalOf(await zipOfMethod(method));
  expect(refusal).toContain(`index.html: is compressed with ${name}, which browsers cannot unpack`);
});

test("an encrypted zip is refused", async () => {
  const zip = await zipOf({ "index.html": "1" }, { password: "secret", zipCrypto: true });
  expect(await refusalOf(zip)).toContain("index.html: is encrypted");
});

test.each(["../index.html", "a/../../index.html", "/etc/passwd", "C:/windows", "..\\index.html"])(
  "a zip with the path %s is refused",
  async (path) => {
    expect(await refusalOf(await zipWithName(path))).toMatch(/leaves the folder|no zip file that can be read/);
  },
);

test("folders that PowerShell separates by backslashes are folders", async () => {
  const zip = await zipOf({ "game\\index.html": "1", "game\\art\\a.txt": "2", "game\\empty\\": "" });
  expect(await contentOf(zip)).toEqual({ "index.html": "1", "art/a.txt": "2" });
});

test("names in the code page of Windows are read if it is certain which, or told, else refused", async () => {
  const japanese = await zipWithName([0x83, 0x51, 0x81, 0x5b, 0x83, 0x80, 0x2e, 0x70]);
  expect((await filesOfZip(japanese)).map(({ path, isNameGuessed }) => [path, isNameGuessed])).toEqual([
    ["ゲーム.p", undefined],
  ]);
  const german = await zipWithName([0x67, 0x72, 0x94, 0xe1, 0x65]);
  expect((await filesOfZip(german)).map(({ path, isNameGuessed }) => [path, isNameGuessed])).toEqual([["größe", true]]);
  expect(await refusalOf(await zipWithName([0xd3, 0xce, 0xcf, 0xb7]))).toContain(
    "does not say how its names are written",
  );
});

test("a symbolic link is refused", async () => {
  const zip = await zipOf({ "index.html": "1" }, { externalFileAttributes: (0o120777 << 16) >>> 0 });
  expect(await refusalOf(zip)).toContain("index.html: is a symbolic link");
});

test("a file with more bytes than the zip says is unpacked no further than that", async () => {
  const zip = await zipOf({ "index.html": "0".repeat(30_000_000) });
  const [file] = await filesOfZip(await sayingSize(zip, 30_000_000, 1_000));
  let bytes = 0;
  const read = async () => {
    for await (const chunk of file?.stream() ?? []) bytes += chunk.length;
  };
  await expect(read()).rejects.toThrow("The zip is damaged");
  expect(bytes).toBeLessThanOrEqual(1_000);
});

test("a damaged zip and another file are refused", async () => {
  const bytes = new Uint8Array(await (await zipOf({ "index.html": "0".repeat(5_000) }, { level: 0 })).arrayBuffer());
  bytes.fill(1, 100, 200);
  expect(await refusalOf(new File([bytes], "game.zip"))).not.toBe("taken");
  expect(await refusalOf(new File(["no zip"], "game.zip"))).toContain("no zip file that can be read");
});
