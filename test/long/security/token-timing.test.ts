import * as crypto from "node:crypto";
import { beforeAll, expect, jest, test } from "@jest/globals";
import { base62Digits, tokenChecksum } from "../../../contract/api/tokens/token-format.ts";
import { actorsOf, type TokenActor } from "../../support/service/actors.ts";
import { useRecordedService } from "../../support/service/suite.ts";

/*
 * The time of a response does not help somebody who guesses a token. The guess is hashed first, so no comparison reads
 * its characters; the hashes are compared in constant time; and what is read does not depend on the guess.
 */
const service = useRecordedService();
let token: TokenActor;

beforeAll(async () => {
  token = await actorsOf(service).token("publish");
  await token.get("/me");
});

const randomAt = 26;
const randomLength = 32;

/** A well-formed guess of which this many of the 32 random characters are right. */
function guess(right: number): string {
  const start = token.credential.slice(0, randomAt + right);
  const wrong = [...token.credential.slice(randomAt + right, randomAt + randomLength)].map(otherDigit).join("");
  return start + wrong + tokenChecksum(start + wrong);
}

function otherDigit(digit: string): string {
  return base62Digits.charAt((base62Digits.indexOf(digit) + 1 + Math.floor(Math.random() * 61)) % 62);
}

test("the stored hash is compared by timingSafeEqual, over all its 32 bytes", async () => {
  const compare = jest.fn(crypto.timingSafeEqual);
  jest.unstable_mockModule("node:crypto", () => ({ ...crypto, timingSafeEqual: compare }));
  const { RawToken } = await import("../../../functions/domain/tokens/raw-token.ts");
  const raw = RawToken.parse(token.credential);
  const stored = [raw?.hash, Buffer.alloc(32), raw?.hash.fill(0, 31)].map((hash) => hash?.toString("base64") ?? "");
  expect(stored.map((hash) => raw?.matches(hash))).toEqual([true, false, false]);
  expect(compare.mock.calls.map((hashes) => hashes.map(({ byteLength }) => byteLength))).toEqual(
    Array(3).fill([32, 32]),
  );
});

test("a guess is looked up in the same way, however many characters are right", async () => {
  const seen = [];
  for (const right of [0, 1, 16, 31]) {
    let response: unknown;
    const calls = await service.recorder.during(async () => {
      const { status, body, headers } = await actorsOf(service).bearer(guess(right)).get("/me");
      response = { status, body: { ...body, request_id: "" }, names: [...headers.keys()] };
    });
    seen.push({ response, calls: calls.map(({ operation, input }) => [operation, shapeOf(input)]) });
  }
  expect(new Set(seen.map((look) => JSON.stringify(look))).size).toBe(1);
  expect(seen[0]).toMatchObject({
    response: { status: 401, body: { code: "token_invalid" } },
    calls: [["BatchGetItem", expect.anything()]],
  });
});

/** A call's input with each text replaced by its length. */
function shapeOf(input: unknown): unknown {
  return JSON.parse(JSON.stringify(input, (_, value) => (typeof value === "string" ? value.length : value)));
}
