import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { expect, test } from "@jest/globals";
import { play, playFile } from "../../support/service/play.ts";
import { usePublishingUser } from "../../support/service/publishing-user.ts";

const user = usePublishingUser();
const { person, publish, service, write } = user;

/** The Content-Encoding that each file is sent with. */
async function encodings(paths: readonly string[]) {
  const sent = await Promise.all(paths.map((path) => playFile(service, user.slug, { path: `/${path}` })));
  return Object.fromEntries(sent.map(({ headers }, index) => [paths[index], headers["content-encoding"]]));
}

const text = "a level\n".repeat(100);
const large = brotliCompressSync(randomBytes(18_000_000), { params: { 1: 1 } });

test("svc publish tells by the bytes whether a file named .gz or .br is compressed", async () => {
  const files = {
    "a.json.gz": gzipSync(text),
    "a.json.br": brotliCompressSync(text),
    "empty.json.br": brotliCompressSync(""),
    "large.data.br": large,
    // Expands to more than is looked at.
    "zeros.data.br": brotliCompressSync(Buffer.alloc(100_000_000), { params: { 1: 1 } }),
    "plain.json.gz": text,
    "plain.json.br": text,
    "none.json.gz": "",
    "none.json.br": "",
    "gzip.json.br": gzipSync(text),
    "cut.json.br": brotliCompressSync(randomBytes(5_000)).subarray(0, 4_000),
    "longer.json.br": Buffer.concat([brotliCompressSync(text), Buffer.from("more")]),
    // Begins as a block of Brotli that is not compressed: only the end of the block tells.
    "random.data.br": Buffer.concat([large.subarray(0, 8), randomBytes(18_000_000)]),
  };
  write({ "index.html": "<p>", ...files });
  expect(await publish()).toMatchObject({ code: 0, stderr: "" });
  const paths = Object.keys(files);
  expect(await encodings(paths)).toEqual({
    ...Object.fromEntries(paths.map((path) => [path, undefined])),
    "a.json.gz": "gzip",
    "a.json.br": "br",
    "empty.json.br": "br",
    "large.data.br": "br",
    "zeros.data.br": "br",
  });
  expect((await play(service, user.slug, { path: "/plain.json.br" })).body.toString()).toBe(text);
});

test("svc publish sends files that the game unpacks by itself as they are stored", async () => {
  const compressed = { "levels/a.json.gz": gzipSync(text), "levels/a.json.br": brotliCompressSync(text) };
  write({ "index.html": "<p>", "b.json.gz": gzipSync(text), ...compressed });
  await publish();
  writeFileSync(join(person.home, "svc.toml"), 'raw = ["levels/*"]\n');
  expect(await publish()).toMatchObject({ code: 0 });
  expect(await encodings(["levels/a.json.gz", "levels/a.json.br", "b.json.gz"])).toEqual({
    "levels/a.json.gz": undefined,
    "levels/a.json.br": undefined,
    "b.json.gz": "gzip",
  });
});
