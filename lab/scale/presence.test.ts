import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { findMissing } from "../../functions/files/presence.ts";
import { StorageUnavailableError } from "../../functions/storage-unavailable-error.ts";
import { setCredentials } from "../../local/credentials.ts";
import { type RecordedStore, startRecordedStore } from "../../test/support/store/store-recorder.ts";
import { entries, holdFiles } from "../../test/support/table/held-files.ts";

let store: RecordedStore;
let folder: string;
const saved = { ...process.env };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "svc-presence-"));
  store = await startRecordedStore(folder);
  setCredentials(false);
  Object.assign(process.env, { S3_ENDPOINT: store.endpoint, BUCKET_NAME: store.bucketName });
});

afterAll(async () => {
  await store.stop();
  await rm(folder, { recursive: true, force: true });
  process.env = saved;
});

/** Size of each file, in bytes. */
const size = 1;

function hashes(name: string, count: number): string[] {
  return entries(count, name).map(({ sha256 }) => sha256);
}

async function projectWith(slug: string, held: readonly string[]): Promise<string> {
  const files = held.map((sha256) => ({ sha256 }));
  await holdFiles({ dataFolder: folder, bucketName: store.bucketName }, slug, files);
  return slug;
}

async function ask(slug: string, wanted: readonly string[], usedObjects?: number) {
  let missing: string[] = [];
  const requests = await store.during(async () => {
    const found = await findMissing({ slug, usedObjects }, new Map(wanted.map((sha256) => [sha256, size])));
    missing = found.map(({ sha256 }) => sha256);
  });
  expect(requests.every(({ kind }) => kind === "list")).toBe(true);
  return { missing, requests: requests.length };
}

describe("of the wanted files are missing", () => {
  test("none of none, without a request", async () => {
    expect(await ask("none", [])).toEqual({ missing: [], requests: 0 });
  });

  test.each([
    ["few files, of which none is held", 5, 0, 0],
    ["few files, of which all are held", 5, 5, 0],
    ["few files among many others", 20, 10, 2_000],
    ["many files, of which every second is held", 1_500, 750, 0],
    ["many files among many others", 700, 600, 1_500],
  ])("exactly those that are not held: %s", async (name, count, heldCount, others) => {
    const wanted = hashes(name, count);
    const held = wanted.slice(0, heldCount);
    const slug = await projectWith(`p-${count}-${heldCount}-${others}`, [...held, ...hashes("other", others)]);
    const { missing, requests } = await ask(slug, wanted);
    expect(missing.toSorted()).toEqual(wanted.slice(heldCount).toSorted());
    expect(requests).toBeLessThanOrEqual(Math.min(wanted.length, 40));
  });

  test("one whose stored length is another", async () => {
    const [hash = ""] = hashes("length", 1);
    const slug = await projectWith("length", [hash]);
    expect(await findMissing({ slug }, new Map([[hash, size + 1]]))).toEqual([{ sha256: hash, size: size + 1 }]);
  });

  test("one that another project holds", async () => {
    const held = hashes("other project", 1);
    await projectWith("other-project", held);
    expect((await ask("this-project", held)).missing).toEqual(held);
  });
});

test("20,000 files of a project that has 900 others take one request", async () => {
  const slug = await projectWith("small", hashes("small", 900));
  const { missing, requests } = await ask(slug, hashes("all new", 20_000));
  expect({ missing: missing.length, requests }).toEqual({ missing: 20_000, requests: 1 });
});

test.each([
  { count: 2_000, others: 0, most: 2 },
  { count: 2_000, others: 2_000, most: 8 },
])("$count files of a project that has $others others take at most $most requests", async (project) => {
  const { count, others, most } = project;
  const held = hashes("held", count);
  const slug = await projectWith(`held-${count}-${others}`, [...held, ...hashes("beside", others)]);
  const { missing, requests } = await ask(slug, held);
  expect(missing).toEqual([]);
  expect(requests).toBeLessThanOrEqual(most);
});

test("one new file among 2,000 existing ones takes one request", async () => {
  const slug = await projectWith("kept", hashes("kept", 2_000));
  expect((await ask(slug, hashes("new", 1))).requests).toBe(1);
});

/** Number of times that the store is waited for: requests are sent together once none has come for a fifth of a second. */
async function roundsOf(action: () => Promise<unknown>): Promise<number> {
  let rounds = 0;
  let round: PromiseWithResolvers<void> | undefined;
  let end: NodeJS.Timeout | undefined;
  store.plan(async () => {
    if (round === undefined) {
      rounds += 1;
      round = Promise.withResolvers();
    }
    clearTimeout(end);
    end = setTimeout(() => {
      round?.resolve();
      round = undefined;
    }, 200);
    await round.promise;
    return undefined;
  });
  try {
    await action();
  } finally {
    store.plan(undefined);
  }
  return rounds;
}

describe("a project whose number of objects is known", () => {
  test.each([
    { what: "2,000 files that were just uploaded", count: 2_000, others: 0, usedObjects: 2_001, most: 3 },
    { what: "3 files among 3,000", count: 3, others: 3_000, usedObjects: 3_004, most: 3 },
    { what: "a file of a project without any", count: 1, others: 0, usedObjects: 0, most: 1 },
  ])("is waited for once: $what, with at most $most lists", async ({ count, others, usedObjects, most }) => {
    const held = hashes("known", count);
    const slug = await projectWith(`known-${count}`, [...held, ...hashes("beside", others)]);
    let asked = { missing: held, requests: 0 };
    const rounds = await roundsOf(async () => {
      asked = await ask(slug, held, usedObjects);
    });
    expect({ rounds, missing: asked.missing }).toEqual({ rounds: 1, missing: [] });
    expect(asked.requests).toBeLessThanOrEqual(most);
  });

  test("is listed completely too if it has far more objects, or fewer", async () => {
    const [held, missing] = [hashes("hint", 1_500), hashes("lacking", 1_500)];
    const slug = await projectWith("hint", [...held, ...hashes("beside", 3_000)]);
    for (const usedObjects of [1, 100_000])
      expect((await ask(slug, [...held, ...missing], usedObjects)).missing.toSorted()).toEqual(missing.toSorted());
  });
});

test("a request that the store fails for a while is retried", async () => {
  const slug = await projectWith("failing", hashes("failing", 3));
  let failures = 0;
  store.plan(() => {
    failures += 1;
    return failures === 1 ? 503 : failures === 2 ? "break" : undefined;
  });
  try {
    expect(await ask(slug, hashes("failing", 3))).toEqual({ missing: [], requests: 3 });
  } finally {
    store.plan(undefined);
  }
});

test.each([503, "break"] as const)("a store that always fails (%s) gives StorageUnavailableError", async (fault) => {
  store.plan(() => fault);
  try {
    await expect(ask("any", hashes("any", 1))).rejects.toThrow(StorageUnavailableError);
  } finally {
    store.plan(undefined);
  }
});

test("a request that the store refuses is not retried", async () => {
  store.plan(() => 403);
  try {
    const requests = await store.during(async () => {
      await expect(ask("any", hashes("any", 1))).rejects.toThrow("The object store responded with 403 SlowDown");
    });
    expect(requests).toHaveLength(1);
  } finally {
    store.plan(undefined);
  }
});
