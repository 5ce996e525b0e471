import { randomBytes } from "node:crypto";
import { expect, test } from "@jest/globals";
import { createCliUser, publishResult, writeFiles } from "../../support/cli/cli.ts";
import { usePublishingUser } from "../../support/service/publishing-user.ts";

/*
 * A large file that has changed a little is sent in little, whoever sends it: docs/decisions/0059-large-files-in-parts.md.
 */
const user = usePublishingUser();
const mebibyte = 1024 * 1024;
const part = 5 * mebibyte;
/** The page, indexes, deltas, and parts that have a change. */
const parts = (count: number) => count * part + 500_000;

/** Text that Brotli makes smaller, with a picture here and there. */
function compressible(length: number): Buffer {
  const words = Array.from({ length: 300 }, () => randomBytes(6).toString("hex"));
  const pieces: Buffer[] = [];
  for (let bytes = 0; bytes < length; ) {
    const text = Array.from({ length: 4_000 }, () => words[Math.floor(Math.random() ** 2 * 300)]).join(" ");
    const piece = Buffer.concat([Buffer.from(text), randomBytes(20_000)]);
    pieces.push(piece);
    bytes += piece.length;
  }
  return Buffer.concat(pieces).subarray(0, length);
}

const replaced = (bytes: Buffer, at: number, by: Buffer) =>
  Buffer.concat([bytes.subarray(0, at), by, bytes.subarray(at + by.length)]);

/** Publishes as a CI job would: with an empty home. */
async function publishElsewhere(files: Record<string, Buffer | string>) {
  const machine = createCliUser();
  try {
    writeFiles(`${machine.home}/game`, files);
    const env = { SVC_API: user.service.api, SVC_TOKEN: user.token.credential };
    return publishResult(await machine.run(["publish", "game", "--project", user.slug, "--json"], { env }));
  } finally {
    machine.leave();
  }
}

const publishHere = async (files: Record<string, Buffer | string>, ...args: string[]) => {
  user.write(files);
  return publishResult(await user.publish(...args));
};

test("a laptop and a CI job with an empty cache send what has changed, in turn", async () => {
  const first = randomBytes(40 * mebibyte);
  const page = { "index.html": "1" };
  expect((await publishHere({ ...page, "world.pck": first })).sent.bytes).toBeGreaterThan(first.length);
  const second = Buffer.concat([randomBytes(200_000), first]);
  expect((await publishElsewhere({ ...page, "world.pck": second })).sent.bytes).toBeLessThan(parts(1));
  await user.expectLive({ "world.pck": second });
  const third = replaced(second, 22 * mebibyte, randomBytes(100_000));
  expect((await publishHere({ ...page, "world.pck": third })).sent.bytes).toBeLessThan(parts(1));
  const fourth = Buffer.concat([third.subarray(0, 12 * mebibyte), third.subarray(13 * mebibyte), randomBytes(70_000)]);
  expect((await publishElsewhere({ ...page, "world.pck": fourth })).sent.bytes).toBeLessThan(parts(2));
  await user.expectLive({ "world.pck": fourth });
  // Under another name, and beside a file with the same bytes.
  expect((await publishHere({ ...page, "moved.pck": third })).sent.bytes).toBeLessThan(parts(3));
}, 180_000);

test("of a compressed copy too what has changed is sent, a dry run says how much, and the person reads it", async () => {
  const first = compressible(60 * mebibyte);
  await publishHere({ "index.html": "1", "world.pck": first });
  const second = replaced(first, 30 * mebibyte, randomBytes(50_000));
  const dry = await publishHere({ "index.html": "1", "world.pck": second }, "--dry-run");
  const { stdout } = await user.svc(["publish", "game", "--project", user.slug]);
  const [, sent, unit, all] =
    /Sent (\d+(?:\.\d+)?) (MiB) of (\d+(?:\.\d+)?) MiB in [\d.]+ s; the rest is on the server\./.exec(stdout) ?? [];
  expect({ unit }).toEqual({ unit: "MiB" });
  expect(Number(all)).toBeGreaterThan(80);
  // A part of the file, and some of the copy, whose bytes are others until the compressor has forgotten the change.
  expect(Number(sent)).toBeLessThan(26);
  expect(Math.abs(dry.to_send.bytes / mebibyte - Number(sent))).toBeLessThan(1);
  await user.expectLive({ "world.pck": second });
}, 180_000);
