import { expect, test } from "@jest/globals";
import { CopyFacts } from "./copy-facts.ts";

const [sha256, dictionary] = ["a".repeat(64), "b".repeat(64)];
const copy = { size: 1, sha256: "c".repeat(64), dictionary };
const claim = (path: string) => ({ file: { path, size: 9, sha256 }, copy });

test("facts of an earlier version say nothing of a delta of what Brotli unpacks to, which that has not seen", () => {
  const facts = (packed: object) => CopyFacts.unpack(Buffer.from(JSON.stringify(packed)));
  const known = ["a.bin", "a.bin.br"].map(claim);
  expect(known.map((each) => facts({ wrong: {} }).isTrue(each))).toEqual([true, false]);
  const packed = JSON.parse(new CopyFacts(new Map()).pack().toString());
  expect(known.map((each) => facts(packed).isTrue(each))).toEqual([true, true]);
});
