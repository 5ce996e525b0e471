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
