import { expect, test } from "@jest/globals";
import type { Client } from "../../contract/client.ts";
import { idOfRelease, type ListedRelease, releaseBefore, releaseRow } from "./release-lines.ts";

/** A release with the day of its first and of its last publication. */
const release = (id: string, status: ListedRelease["status"], first: number | null, last = first): ListedRelease => ({
  ...{
    id,
    number: first,
    status,
    files: 1,
    bytes: 1,
    message: null,
    message_edited_at: null,
    changed_settings: null,
    source: null,
    provenance: null,
    play_url: null,
    picture_url: null,
    expires_at: null,
    returning_players: null,
    schedule: null,
    false_copies: 0,
    waiting: null,
  },
  ...{ created_at: "", published_by: null, first_published_by: null, withdrawn_at: null },
  first_published_at: first === null ? null : `2026-01-0${first}T00:00:00.000Z`,
  published_at: last === null ? null : `2026-01-0${last}T00:00:00.000Z`,
});
const chosen = (...releases: ListedRelease[]) => {
  const found = releaseBefore(releases);
  return found && [found.earlier.id, found.live?.id];
};

test("a roll-back goes to the release published before the live one, whatever went live last", () => {
  const [a, b, c] = [release("a", "published", 1), release("b", "published", 2, 5), release("c", "live", 3)];
  expect(chosen(c, b, a)).toEqual(["b", "c"]);
  expect(chosen(release("c", "published", 3), release("b", "live", 2, 4), a)).toEqual(["a", "b"]);
});

test("neither an open release nor a later one is chosen", () => {
  expect(chosen(release("open", "open", null), release("bad", "published", 2), release("first", "live", 1, 3))).toBe(
    undefined,
  );
});

test("if none is live, the one that was live last is chosen", () => {
  expect(chosen(release("b", "published", 2), release("a", "published", 1, 3))).toEqual(["a", undefined]);
});

test.each([
  ['by token "CI"', { id: "t", name: "CI" }],
  ["by Grace with a token", { id: "t", name: null }],
  ["by Grace", null],
])("a release says that it was published %s", (words, token) => {
  const by = { uid: "g", name: "Grace", token };
  const published = { ...release("a", "published", 1), first_published_by: by, published_by: by };
  expect(releaseRow(published).below).toBe(`1 file, ${words}`);
});

test.each([
  ["1 compressed copy is not the file and never sent", 1],
  ["2 compressed copies are not the file and never sent", 2],
])("a release says that %s", (words, falseCopies) => {
  const found = { ...release("a", "published", 1), false_copies: falseCopies };
  expect(releaseRow(found).below).toBe(`1 file, ${words}`);
});

test("a release says nothing of who published it if nobody may know", () => {
  expect(releaseRow(release("a", "published", 1)).below).toBe("1 file");
});

test.each([
  ["#120", "release-120"],
  ["21", "release-21"],
  ["0Vx3mGk8cW2bT7qLr9Zs4A", "0Vx3mGk8cW2bT7qLr9Zs4A"],
])("the release %s is found among the last 100 ones, by its number or its id", async (name, id) => {
  const all = Array.from({ length: 120 }, (_, index) => ({ id: `release-${120 - index}`, number: 120 - index }));
  const call = async (_: string, { query: { limit = 20 } = {} }: { query?: { limit?: string | number } }) => ({
    releases: all.slice(0, Number(limit)),
  });
  const client = { call } as unknown as Client;
  expect(await idOfRelease(client, "bounce", name)).toBe(id);
  await expect(idOfRelease(client, "bounce", "20")).rejects.toMatchObject({ code: "release_not_found" });
});
