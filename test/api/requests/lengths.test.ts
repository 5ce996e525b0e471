import { expect, test } from "@jest/globals";
import type { Developer } from "../../support/service/actors.ts";
import { manifestOf, newProject, newSlug, sha256 } from "../../support/service/steps.ts";
import { useOwner, useService } from "../../support/service/suite.ts";

/*
 * Length limits of requests. The numbers are promises to clients, so they stand here as numbers: a changed limit would change the OpenAPI
 * document with it, and nothing else would fail.
 */

const service = useService();
const ada = useOwner(service);

interface LengthLimit {
  /** A value of the largest length, and one that is longer by one. */
  readonly lengths: readonly [number, number];
  /** Sends it. */
  readonly send: (length: number) => Promise<{ status: number; body: unknown }>;
  readonly pointer: string;
}

const letters = (length: number) => "a".repeat(length);
const url = (length: number) => `https://example.com/${letters(length - "https://example.com/".length)}`;
const token = (changes: object) => ada.post("/tokens", { name: "CI", scopes: ["publish"], ...changes });
const release = (changes: object) =>
  ada.post(`/projects/${ada.slug}/releases`, { files: manifestOf({ "index.html": "1" }), dry_run: true, ...changes });
const edited = (changes: object): ReturnType<Developer["patch"]> => ada.patch("/me", changes);

const limited: Readonly<Record<string, LengthLimit>> = {
  "an account's name": { lengths: [80, 81], send: (n) => edited({ name: letters(n) }), pointer: "/name" },
  "an account's picture": { lengths: [2_048, 2_049], send: (n) => edited({ avatar: url(n) }), pointer: "/avatar" },
  "a developer's biography": { lengths: [1_000, 1_001], send: (n) => edited({ bio: letters(n) }), pointer: "/bio" },
  "a project's name": {
    lengths: [80, 81],
    send: (n) => ada.post("/projects", { slug: newSlug(), name: letters(n) }),
    pointer: "/name",
  },
  "a project's description": {
    lengths: [1_000, 1_001],
    send: (n) => ada.post("/projects", { slug: newSlug(), name: "Game", description: letters(n) }),
    pointer: "/description",
  },
  "a token's name": { lengths: [80, 81], send: (n) => token({ name: letters(n) }), pointer: "/name" },
  "the days of a token": {
    lengths: [365, 366],
    send: (n) => token({ expires_in_days: n }),
    pointer: "/expires_in_days",
  },
  "the hours of a replaced token": {
    lengths: [168, 169],
    send: async (n) => {
      const { body } = await token({});
      return await ada.post(`/tokens/${body.id}/replacement`, { overlap_hours: n });
    },
    pointer: "/overlap_hours",
  },
  "a release's message": {
    lengths: [1_000, 1_001],
    send: (n) => release({ message: letters(n) }),
    pointer: "/message",
  },
  "a file's path": {
    lengths: [512, 513],
    send: (n) => release({ files: [...manifestOf({ "index.html": "1" }), ...manifestOf({ [letters(n)]: "1" })] }),
    pointer: "/files/1/path",
  },
  "a file's deltas": {
    lengths: [3, 4],
    send: (n) => {
      const deltas = Array.from({ length: n }, (_, i) => ({
        dictionary: sha256(`${i}`),
        size: 1,
        sha256: sha256("d"),
      }));
      return release({ files: manifestOf({ "index.html": "<p>" }).map((file) => ({ ...file, deltas })) });
    },
    pointer: "/files/0/deltas",
  },
  "a release's immutable patterns": {
    lengths: [10, 11],
    send: (n) => release({ settings: { immutable: Array.from({ length: n }, (_, number) => `assets/${number}/**`) } }),
    pointer: "/settings/immutable",
  },
  "an immutable pattern": {
    lengths: [100, 101],
    send: (n) => release({ settings: { immutable: [letters(n)] } }),
    pointer: "/settings/immutable/0",
  },
  "a release's preloaded files": {
    lengths: [3, 4],
    send: (n) => release({ settings: { preload: Array.from({ length: n }, (_, number) => `${number}.wasm`) } }),
    pointer: "/settings/preload",
  },
  "the path of a preloaded file": {
    lengths: [100, 101],
    send: (n) => release({ settings: { preload: [letters(n)] } }),
    pointer: "/settings/preload/0",
  },
};

test.each(Object.entries(limited))(
  "%s has its longest length, and one more is refused where it stands",
  async (_, limit) => {
    const [longest, longer] = limit.lengths;
    const { status } = await limit.send(longest);
    expect(status).toBeLessThan(300);
    expect(await limit.send(longer)).toMatchObject({
      status: 422,
      body: { code: "validation_failed", errors: [{ pointer: limit.pointer }] },
    });
  },
);

test("a token names 50 projects at most", async () => {
  const slugs = await Promise.all(Array.from({ length: 3 }, () => newProject(ada)));
  const strangers = Array.from({ length: 51 - slugs.length }, () => newSlug());
  const tooMany = await token({ projects: [...slugs, ...strangers] });
  expect(tooMany).toMatchObject({ status: 422, body: { errors: [{ pointer: "/projects" }] } });
  // Fifty pass the schema: what is refused then is that most are not hers.
  const fifty = await token({ projects: [...slugs, ...strangers.slice(1)] });
  expect(fifty.body.errors?.[0]?.pointer).not.toBe("/projects");
});
