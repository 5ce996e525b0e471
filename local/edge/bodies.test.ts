import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { Bodies, wholeOf } from "./bodies.ts";

let bodies: Bodies;
beforeEach(() => {
  bodies = new Bodies();
});
afterEach(() => bodies.stop());

const length = 300_000;
const response = (body: string | ReadableStream) =>
  new Response(body, { headers: { "content-length": String(length) } });

test("the first bodies of a cache, which come at the same time, each have their own bytes", async () => {
  const letters = [..."abcdefgh"];
  const read = await Promise.all(letters.map((letter) => bodies.read(response(letter.repeat(length)))));
  await Promise.all(read.map(wholeOf));
  const texts = read.map((body) => (Buffer.isBuffer(body) ? "in memory" : readFileSync(body.path, "latin1")));
  expect(texts.map((text) => [text[0], text === text[0]?.repeat(length)])).toEqual(
    letters.map((letter) => [letter, true]),
  );
});

test("a large body has the name that its parts give, or its SHA-256 if it was sent whole, and another one is broken off", async () => {
  const mebibyte = 1024 * 1024;
  const length = 17 * mebibyte;
  const body = Buffer.alloc(length, "in parts ");
  const nameOf = (bytesPerPart: number) => {
    const starts = Array.from({ length: Math.ceil(length / bytesPerPart) }, (_, index) => index * bytesPerPart);
    const parts = starts.map((start) => body.subarray(start, start + bytesPerPart));
    const digests = parts.map((part) => createHash("sha256").update(part).digest());
    return createHash("sha512").update(Buffer.concat(digests)).digest("hex").slice(0, 64);
  };
  const read = (sha256: string, bytesPerPart?: number) =>
    bodies
      .read(new Response(body, { headers: { "content-length": String(length) } }), { sha256, bytesPerPart })
      .then(wholeOf);
  const whole = createHash("sha256").update(body).digest("hex");
  for (const bytesPerPart of [5, 7, 16].map((count) => count * mebibyte))
    await read(nameOf(bytesPerPart), bytesPerPart);
  await read(whole, length);
  // A store that does not know the parts says that there is one.
  await read(nameOf(5 * mebibyte), length);
  for (const [name, bytesPerPart] of [
    [nameOf(16 * mebibyte), 5 * mebibyte],
    [whole, 16 * mebibyte],
    [createHash("sha256").update("another").digest("hex"), length],
  ] as const)
    await expect(read(name, bytesPerPart)).rejects.toThrow("not those that their key names");
});

test("of a body in a file that breaks in the middle nothing is left", async () => {
  const whole = await bodies.read(response("x".repeat(length)));
  if (Buffer.isBuffer(whole)) throw new Error("It is not in a file");
  await wholeOf(whole);
  const pieces = [Buffer.alloc(length / 2)];
  const broken = new ReadableStream({
    pull(controller) {
      const piece = pieces.pop();
      if (piece === undefined) controller.error(new TypeError("terminated"));
      else controller.enqueue(piece);
    },
  });
  await expect(bodies.read(response(broken)).then(wholeOf)).rejects.toThrow("terminated");
  expect(readdirSync(dirname(whole.path))).toEqual([basename(whole.path)]);
});
