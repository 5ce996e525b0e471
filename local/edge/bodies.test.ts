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

test("a body that was sent to the store in parts has the name that these give, and another one is broken off", async () => {
  const [partBytes, bytes] = [5 * 1024 * 1024, 17 * 1024 * 1024];
  const body = Buffer.alloc(bytes, "in parts ");
  const parts = Array.from({ length: 4 }, (_, index) => body.subarray(index * partBytes, (index + 1) * partBytes));
  const digests = parts.map((part) => createHash("sha256").update(part).digest());
  const name = createHash("sha512").update(Buffer.concat(digests)).digest("hex").slice(0, 64);
  const read = (named: string) =>
    bodies.read(new Response(body, { headers: { "content-length": String(bytes) } }), named).then(wholeOf);
  await read(name);
  await expect(read(createHash("sha256").update(body).digest("hex"))).rejects.toThrow("not those that their key names");
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
