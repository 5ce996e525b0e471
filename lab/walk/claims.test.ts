import { describe, expect, test } from "@jest/globals";
import {
  brokenByCreations,
  brokenByDeletion,
  brokenByPointer,
  brokenByPublications,
  brokenByRevocation,
  brokenByUse,
  brokenByVisits,
  mayBeUnreadable,
} from "./claims.ts";

const during = (sentAt: number, respondedAt: number) => ({ sentAt, respondedAt });

describe("the claims about overlapping responses", () => {
  const revoked = { created: during(0, 1), revocationSentAt: 10, revokedAt: 20 };

  test.each([
    ["a success after the revocation", during(21, 22), 200, "a revoked token got 200"],
    ["a refusal before the revocation", during(5, 9), 401, "an active token got 401"],
    ["a success beside the revocation", during(11, 30), 200, undefined],
    ["a refusal beside the revocation", during(9, 12), 401, undefined],
    ["a refusal after the revocation", during(21, 22), 401, undefined],
  ])("judge %s", (_, use, status, expected) => {
    expect(brokenByUse(revoked, use, status)).toBe(expected);
  });

  test.each([
    ["a publication before the revocation", 200, "a", "a", undefined],
    ["a refusal after it", 401, null, null, undefined],
    ["a publication after it", 200, null, "a", "a went live after its token was revoked"],
    ["a success without an effect", 200, null, null, "the publication of a got 200, and null is live"],
    ["a refusal with an effect", 401, "a", "a", "the publication of a got 401, and a is live"],
  ])("judge %s", (_, status, liveAfterRevocation, liveAfterBoth, expected) => {
    expect(brokenByRevocation({ release: "a", status, liveAfterRevocation, liveAfterBoth })).toBe(expected);
  });

  test.each([
    ["a visit before the deletion", during(0, 9), 200, undefined],
    ["a refusal before it", during(0, 9), 404, "a project that is not deleted got 404"],
    ["a visit beside it", during(9, 12), 404, undefined],
    ["a refusal after it", during(21, 29), 404, undefined],
    ["a visit after it", during(21, 29), 200, "a deleted project was served"],
    ["a visit beside the restoration", during(21, 31), 200, undefined],
    ["a refusal after the restoration", during(41, 42), 404, "a project that is not deleted got 404"],
  ])("judge %s", (_, visit, status, expected) => {
    expect(brokenByDeletion({ deleted: during(10, 20), restored: during(30, 40) }, visit, status)).toBe(expected);
  });

  test.each([
    ["while it is deleted", during(21, 29), false],
    ["beside the restoration", during(29, 31), true],
    ["that ends after the restoration", during(39, 41), true],
    ["after the restoration", during(41, 42), false],
  ])("let the edge find no pointer and then one, of a visit %s: %s", (_, visit, expected) => {
    expect(mayBeUnreadable({ deleted: during(10, 20), restored: during(30, 40) }, visit)).toBe(expected);
  });

  // The bytes of the digest ab are qw in base64url.
  const live = { slug: "a", currentRelease: { manifest: "ab" } };
  const suspended = { ...live, suspension: { reason: "spam" } };
  const deleted = { ...live, deletedAt: "2026-01-01T00:00:00.000Z" };
  test.each([
    ["the live release", live, "l.qw...", undefined],
    ["a release that is not live", live, "l.qwe...", "the edge has l.qwe... of a, whose live manifest is ab"],
    ["nothing of a published project", live, undefined, "the edge has undefined of a, whose live manifest is ab"],
    ["a deleted project", deleted, "l.qw...", "the edge has l.qw... of a, deleted"],
    ["a deleted project as not published", deleted, "u", "the edge has u of a, deleted"],
    ["a suspended project", suspended, "l.qw...", "the edge has l.qw... of a, suspended"],
    ["the mark of a suspended project", suspended, "s", undefined],
    ["the mark of a suspended project that is not", live, "s", "the edge has s of a, whose live manifest is ab"],
    ["nothing of a deleted project", deleted, undefined, undefined],
    ["nothing live of a project without a release", { slug: "a" }, "u<bdi>Game</bdi> is not online now.", undefined],
  ])("judge a store that has %s", (_, project, value, expected) => {
    expect(brokenByPointer(project, value)).toBe(expected);
  });

  test("find a token beyond the limit, and a refusal below it", () => {
    const active = { created: during(0, 1) };
    expect(brokenByCreations([active, active], [{ ...during(5, 6), status: 201 }], 2)).toHaveLength(1);
    expect(brokenByCreations([active, revoked], [{ ...during(15, 16), status: 201 }], 2)).toEqual([]);
    expect(brokenByCreations([active, revoked], [{ ...during(15, 16), status: 409 }], 2)).toEqual([]);
    expect(brokenByCreations([active, revoked], [{ ...during(25, 26), status: 409 }], 2)).toHaveLength(1);
  });

  test("find two releases that took the place of the same one", () => {
    const first = { ...during(0, 1), release: "a", previous: null };
    const second = { ...during(2, 3), release: "b", previous: "a" };
    const back = { ...during(4, 5), release: "a", previous: "b" };
    const third = { ...during(6, 7), release: "c", previous: "a" };
    expect(brokenByPublications([first, second, back, third])).toEqual([]);
    expect(brokenByPublications([first, second, third])).toHaveLength(1);
  });

  test("find a visitor who saw a release after it had gone", () => {
    const first = { ...during(0, 1), release: "a", previous: null };
    const second = { ...during(4, 6), release: "b", previous: "a" };
    const saw = (sentAt: number, respondedAt: number) => [{ ...during(sentAt, respondedAt), release: "a" }];
    expect(brokenByVisits([first, second], saw(5, 9))).toEqual([]);
    expect(brokenByVisits([first, second], saw(7, 9))).toHaveLength(1);
  });
});
