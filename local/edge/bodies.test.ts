import { readdirSync } from "node:fs";
import { basename, dirname } from "node:path";
import { afterEach, expect, test } from "@jest/globals";
import { Bodies } from "./bodies.ts";

const bodies = new Bodies();
afterEach(() => bodies.stop());

const length = 300_000;
const response = (body: string | ReadableStream) =>
  new Response(body, { headers: { "content-length": String(length) } });

test("of a body in a file that breaks in the middle nothing is left", async () => {
  const whole = await bodies.read(response("x".repeat(length)));
  if (Buffer.isBuffer(whole)) throw new Error("It is not in a file");
  const pieces = [Buffer.alloc(length / 2)];
  const broken = new ReadableStream({
    pull(controller) {
      const piece = pieces.pop();
      if (piece === undefined) controller.error(new TypeError("terminated"));
      else controller.enqueue(piece);
    },
  });
  await expect(bodies.read(response(broken))).rejects.toThrow("terminated");
  expect(readdirSync(dirname(whole.path))).toEqual([basename(whole.path)]);
});
