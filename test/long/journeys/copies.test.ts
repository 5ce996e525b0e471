import { randomBytes } from "node:crypto";
import { brotliCompressSync, brotliDecompressSync, constants, zstdDecompressSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { ManifestFile } from "../../../contract/api/releases/manifest-rules.ts";
import { checkRequested } from "../../../functions/domain/releases/checking.ts";
import { sweepProject } from "../../../functions/domain/sweep/project-sweep.ts";
import { findCopyFacts } from "../../../functions/files/copy-facts.ts";
import { factsPrefix, manifestsPrefix } from "../../../functions/files/object-keys.ts";
import { listObjects, writeObject } from "../../../functions/files/store.ts";
import { eventually } from "../../support/eventually.ts";
import { type Actor, actorsOf, type Developer } from "../../support/service/actors.ts";
import { deltaOf } from "../../support/service/delta.ts";
import { addMember } from "../../support/service/operations.ts";
import { playFile } from "../../support/service/play.ts";
import { startService, type TestService } from "../../support/service/service.ts";
import { handOver, newProject, openRelease, sha256 } from "../../support/service/steps.ts";
import { duringTests, useFunctionEnvironment } from "../../support/service/suite.ts";
import { startRecordedStore, withoutChecks } from "../../support/store/store-recorder.ts";
import { sweepOf } from "../../support/table/sweeping.ts";

/*
 * Copies that are not their files: what a thief sends with a stolen token, or a pull request's job with the scope preview. Three cold
 * locations, so that nothing is right only because it was cached before.
 */

/** Of the service, whose publishing waits 8 seconds for a check: where a check is held up it waits one. */
const clock = "const now = performance.now.bind(performance); performance.now = () => 8 * now();";
const store = duringTests(() => startRecordedStore());
const service: TestService = duringTests(() =>
  startService({
    env: {
      SVC_COLD_LOCATIONS: "3",
      S3_ENDPOINT: store.endpoint,
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(clock)}`,
    },
  }),
);
useFunctionEnvironment(service);
let ada: Developer;
let slug: string;

beforeEach(async () => {
  ada = await actorsOf(service).developer();
  slug = await newProject(ada);
});

/** Holds checks up: nobody can read what is asked for. */
function holdChecks(isHeld: boolean): void {
  store.plan(isHeld ? withoutChecks : undefined);
}
afterEach(() => holdChecks(false));

/** Its Brotli is large enough to go by its content, too. */
const size = 400_000;
const older = randomBytes(size).toString("base64").slice(0, size);
const newer = `${older.slice(0, size / 2)}new${older.slice(size / 2)}`;
const evil = newer.replace("new", "bad");
const script = "let score = 0;\n".repeat(500);
const evilScript = "steal(score);\n".repeat(500);

interface Copies {
  readonly br?: Buffer;
  readonly delta?: Buffer;
}

/** A release of the newer data and the script, with these copies. */
function releaseWith({ br, delta }: Copies, page = "<p>") {
  const content = (bytes: string | Buffer) => ({ size: Buffer.byteLength(bytes), sha256: sha256(bytes) });
  const files: ManifestFile[] = [
    { path: "index.html", ...content(page) },
    { path: "game.js", ...content(script), ...(br && { br: content(br) }) },
    {
      path: "data.bin",
      ...content(newer),
      ...(delta && { deltas: [{ dictionary: sha256(older), ...content(delta) }] }),
    },
  ];
  const bytes = { page, script, newer, ...(br && { br }), ...(delta && { delta }) };
  return { files, bytes };
}

async function open(actor: Actor, copies: Copies, page?: string): Promise<string> {
  const { files, bytes } = releaseWith(copies, page);
  return (await openRelease(actor, slug, bytes, files)).body.release.id;
}

const makeLive = (actor: Actor, id: string) => actor.post(`/projects/${slug}/releases/${id}/publish`);

async function publishOlder(): Promise<string> {
  const files = { "index.html": "<p>", "game.js": script, "data.bin": older };
  const { body } = await openRelease(ada, slug, files);
  expect(await makeLive(ada, body.release.id)).toMatchObject({ status: 200 });
  return body.release.id;
}

const trueCopies = { br: brotliCompressSync(script), delta: deltaOf(older, newer) };
const planted = {
  "a Brotli copy": { ...trueCopies, br: brotliCompressSync(evilScript) },
  "a delta": { ...trueCopies, delta: deltaOf(older, evil) },
};

const withDictionary = {
  "accept-encoding": "gzip, br, zstd, dcz",
  "available-dictionary": `:${Buffer.from(sha256(older), "hex").toString("base64")}:`,
};

/** What browsers get that have the older data, at each location. */
async function played(host = slug) {
  const all = [];
  for (let location = 0; location < 3; location += 1) {
    const data = await playFile(service, host, { path: "/data.bin", headers: withDictionary });
    const code = await playFile(service, host, { path: "/game.js", headers: { "accept-encoding": "br" } });
    all.push([data, code].map(({ headers, body }) => [headers["content-encoding"], sha256(body)]));
  }
  expect(new Set(all.map((each) => JSON.stringify(each))).size).toBe(1);
  return all[0];
}

const sent = (data: [string | undefined, string | Buffer], code: [string | undefined, string | Buffer]) =>
  [data, code].map(([coding, bytes]) => [coding, sha256(bytes)]);
const asCopies = sent(["dcz", trueCopies.delta], ["br", trueCopies.br]);
const asFiles = sent([undefined, newer], [undefined, script]);

test("each location has a cache of its own", async () => {
  await publishOlder();
  const from: unknown[] = [];
  for (let request = 0; request < 4; request += 1)
    from.push((await playFile(service, slug, { path: "/index.html" })).headers["x-cache"]);
  expect(from).toEqual([...Array(3).fill("Miss from cloudfront"), "Hit from cloudfront"]);
});

test("true copies are sent as soon as a release is live", async () => {
  await publishOlder();
  expect(await makeLive(ada, await open(ada, trueCopies))).toMatchObject({ status: 200 });
  expect(await played()).toEqual(asCopies);
});

const falseOnes = Object.entries(planted) as [keyof typeof planted, Copies][];
/** Lets checks go on, and waits until the one that was held up is over. */
async function checked(): Promise<void> {
  let facts = 0;
  store.plan(({ kind, path }) => {
    if (kind === "put" && path.includes("/facts/")) facts += 1;
    return undefined;
  });
  await eventually(() => expect(facts).toBeGreaterThan(0));
}

/** Each file or a true copy of it is sent, which may come from the cache of the release before. */
async function expectTrue(): Promise<void> {
  const [data, code] = (await played()) ?? [];
  expect([asFiles[0], asCopies[0]]).toContainEqual(data);
  expect([asFiles[1], asCopies[1]]).toContainEqual(code);
}

/** What is sent if the false one of these copies is not. */
const trueOnes = (copies: Copies) =>
  sent(
    copies.delta === trueCopies.delta ? ["dcz", trueCopies.delta] : [undefined, newer],
    copies.br === trueCopies.br ? ["br", trueCopies.br] : [undefined, script],
  );

const pathOf = (copies: Copies) => (copies.br === trueCopies.br ? "data.bin" : "game.js");
const of = (...paths: string[]) => ({ count: paths.length, paths });
/** Copies of a release while the live one has none. */
const bothNew = { brotli: of("game.js"), deltas: of("data.bin") };

/** What a release's comparison says of its copies, and how many false ones lists and the release itself name. */
async function reviewed(id: string) {
  const path = `/projects/${slug}/releases`;
  const { copies } = (await ada.get(`${path}/${id}/changes`)).body;
  const { releases } = (await ada.get(path)).body;
  const listed = releases.find((release: { id: string }) => release.id === id).false_copies;
  expect((await ada.get(`${path}/${id}`)).body.false_copies).toBe(listed);
  return { ...copies, listed };
}

/** How somebody gets to send a copy, and how that ends: one way for each kind of copy, on which it does not depend. */
const thieves = {
  "a Brotli copy": async () => {
    const thief = await ada.token();
    return { thief, end: () => ada.delete(`/tokens/${thief.id}`) };
  },
  "a delta": async () => {
    const thief = await ada.otherDeveloper();
    await addMember(ada, slug, thief, "publisher");
    const { members } = (await ada.get(`/projects/${slug}/members`)).body;
    const { id } = members.find(({ role }: { role: string }) => role === "publisher");
    return { thief, end: () => ada.delete(`/projects/${slug}/members/${id}`) };
  },
};

describe.each(falseOnes)("%s that is not its file", (kind, copies) => {
  test("is refused, and named", async () => {
    await publishOlder();
    const id = await open(ada, copies);
    const path = pathOf(copies);
    for (const act of ["publish", "preview"])
      expect(await ada.post(`/projects/${slug}/releases/${id}/${act}`)).toMatchObject({
        status: 409,
        body: { code: "copies_differ", detail: expect.stringContaining(` of ${path} does not unpack`) },
      });
  });

  test("is sent to nobody at a preview of who may not publish, and does not go live", async () => {
    await publishOlder();
    const job = await ada.token({ scopes: ["preview"] });
    holdChecks(true);
    const id = await open(job, copies);
    const { status, body } = await job.post(`/projects/${slug}/releases/${id}/preview`);
    expect(status).toBe(200);
    const host = new URL(body.preview.url).hostname.split(".")[0] ?? "";
    expect(await played(host)).toEqual(asFiles);
    expect(await reviewed(id)).toEqual({ ...bothNew, checked: false, false: of(), listed: 0 });
    await checked();
    expect(await reviewed(id)).toEqual({ ...bothNew, checked: true, false: of(pathOf(copies)), listed: 1 });
    await eventually(async () => expect(await played(host)).toEqual(trueOnes(copies)));
    expect(await makeLive(ada, id)).toMatchObject({ status: 409, body: { code: "copies_differ" } });
  });

  test("is sent to nobody if it went live unchecked: not after a roll-back, deletion, hand-over or clean release", async () => {
    const { thief, end } = await thieves[kind]();
    await publishOlder();
    const clean = await open(ada, trueCopies);
    await makeLive(ada, clean);
    expect(await played()).toEqual(asCopies);
    holdChecks(true);
    const bad = await open(thief, copies, "<p>stolen");
    expect(await makeLive(thief, bad)).toMatchObject({ status: 200 });
    await expectTrue();
    await checked();
    await expectTrue();
    // The live release has the same copies itself.
    const named = { checked: true, brotli: of(), deltas: of(), false: of(pathOf(copies)), listed: 1 };
    expect(await reviewed(bad)).toEqual(named);
    expect((await end()).status).toBeLessThan(300);
    await expectTrue();
    expect(await makeLive(ada, clean)).toMatchObject({ status: 200 });
    expect(await played()).toEqual(asCopies);
    expect(await ada.post(`/projects/${slug}/releases/${bad}/withdraw`)).toMatchObject({ status: 200 });
    expect(await played()).toEqual(asCopies);
    const bob = await actorsOf(service).developer();
    expect(await handOver(ada, slug, bob)).toMatchObject({ status: 200 });
    expect(await played()).toEqual(asCopies);
    expect(await makeLive(bob, await open(bob, { br: trueCopies.br }, "<p>clean"))).toMatchObject({ status: 200 });
    expect(await played()).toEqual(asCopies);
  });
});

test("a false delta of a release that went live unchecked passes to no release after it", async () => {
  await publishOlder();
  holdChecks(true);
  const { delta } = planted["a delta"];
  expect(await makeLive(ada, await open(ada, { delta }, "<p>stolen"))).toMatchObject({ status: 200 });
  const meanwhile = await open(ada, {}, "<p>while it is unchecked");
  await checked();
  for (const id of [meanwhile, await open(ada, {}, "<p>when it is known")]) {
    expect(await makeLive(ada, id)).toMatchObject({ status: 200 });
    expect(await played()).toEqual(asFiles);
  }
});

describe("of a file that is stored in Brotli", () => {
  const path = "Build/game.data.br";
  // What no compression makes smaller is stored almost as it is, so deltas of what is stored are small as well.
  const older = randomBytes(size);
  const changed = (bytes: string) =>
    Buffer.concat([older.subarray(0, 1_000), Buffer.from(bytes), older.subarray(1_000)]);
  const [newer, evil] = [changed("new"), changed("bad")];
  const withDictionary = {
    "accept-encoding": "gzip, br, zstd, dcz",
    "available-dictionary": `:${Buffer.from(sha256(older), "hex").toString("base64")}:`,
  };
  // At a higher quality 200 MiB take ten seconds.
  const packed = (bytes: string | Buffer) =>
    brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
  const content = (bytes: string | Buffer) => ({ size: Buffer.byteLength(bytes), sha256: sha256(bytes) });
  const publishStored = async (stored: Buffer, page = "<p>") => {
    const { body } = await openRelease(ada, slug, { "index.html": page, [path]: stored });
    expect(await makeLive(ada, body.release.id)).toMatchObject({ status: 200 });
    return body.release.id;
  };
  /** A release whose delta is said to have this dictionary. */
  const openWith = async (stored: Buffer, delta: Buffer, { dictionary = sha256(older), page = "<p>next" } = {}) => {
    const deltas = [{ dictionary, ...content(delta) }];
    const files = [
      { path: "index.html", ...content(page) },
      { path, ...content(stored), deltas },
    ];
    return (await openRelease(ada, slug, { page, stored, delta }, files)).body.release.id;
  };
  const got = async () => {
    const { headers, body } = await playFile(service, slug, { path: `/${path}`, headers: withDictionary });
    const coding = headers["content-encoding"];
    const bytes =
      coding === "dcz" ? zstdDecompressSync(body.subarray(40), { dictionary: older }) : brotliDecompressSync(body);
    return [coding, sha256(bytes)];
  };
  const stored = packed(newer);
  const trueDelta = deltaOf(older, newer);

  test("a delta that gives what it unpacks to is sent, and stays with the file in the next release", async () => {
    await publishStored(packed(older));
    expect(await makeLive(ada, await openWith(stored, trueDelta))).toMatchObject({ status: 200 });
    expect(await got()).toEqual(["dcz", sha256(newer)]);
    // The older release is looked at no longer, and what was found out holds.
    for (const page of ["1", "2", "3", "4", "5"]) {
      await publishStored(stored, page);
      expect(await got()).toEqual(["dcz", sha256(newer)]);
    }
  });

  test.each([
    ["gives other bytes", deltaOf(older, evil)],
    ["gives the stored bytes themselves", deltaOf(older, stored)],
    ["says that it has another dictionary", deltaOf(packed(older), newer)],
  ])("a delta that %s is refused, and named", async (_, delta) => {
    await publishStored(packed(older));
    holdChecks(true);
    const id = await openWith(stored, delta);
    // On a busy machine a check of 200 MiB takes longer than a publication waits for.
    await checked();
    expect(await makeLive(ada, id)).toMatchObject({
      status: 409,
      body: { code: "copies_differ", detail: expect.stringContaining(` of ${path} does not unpack`) },
    });
    expect(await got()).toEqual(["br", sha256(older)]);
  });

  test.each<[string, Buffer, Buffer, Buffer]>([
    ["no release had its dictionary", packed(randomBytes(size)), stored, trueDelta],
    [
      "bytes are behind the end of its dictionary's file",
      Buffer.concat([packed(older), Buffer.from("x")]),
      stored,
      trueDelta,
    ],
    ["bytes are behind the end of the file", packed(older), Buffer.concat([stored, Buffer.from("x")]), trueDelta],
    [
      "its file unpacks to more than browsers keep",
      packed(older),
      Buffer.concat([packed(Buffer.alloc(200 * 1024 * 1024)), randomBytes(size)]),
      trueDelta,
    ],
  ])("a delta is not sent if %s", async (_, before, next, delta) => {
    await publishStored(before);
    expect(await makeLive(ada, await openWith(next, delta))).toMatchObject({ status: 200 });
    const { headers, body } = await playFile(service, slug, { path: `/${path}`, headers: withDictionary });
    expect([headers["content-encoding"], sha256(body)]).toEqual(["br", sha256(next)]);
  });

  test.each([
    ["different", { "copy.bin": older }],
    ["unusable", { "copy.bin": packed(older) }],
  ])("a true delta is %s for a file that has the same bytes, and is not unpacked", async (verdict, more) => {
    const { body } = await openRelease(ada, slug, { "index.html": "<p>", [path]: packed(older), ...more });
    expect(await makeLive(ada, body.release.id)).toMatchObject({ status: 200 });
    const deltas = [{ dictionary: sha256(older), ...content(trueDelta) }];
    const listed = [
      { path: "index.html", ...content("<p>") },
      { path, ...content(stored), deltas },
      { path: "copy.bin", ...content(stored), deltas },
    ];
    const bytes = { page: "<p>", stored, trueDelta };
    const { body: opened } = await openRelease(ada, slug, bytes, listed);
    const refusal = { code: "copies_differ", detail: expect.stringContaining(" of copy.bin does not unpack") };
    const answer = await makeLive(ada, opened.release.id);
    if (verdict === "different") return expect(answer).toMatchObject({ status: 409, body: refusal });
    expect(answer).toMatchObject({ status: 200 });
    expect(await got()).toEqual(["dcz", sha256(newer)]);
    const other = await playFile(service, slug, { path: "/copy.bin", headers: withDictionary });
    return expect([other.headers["content-encoding"], sha256(other.body)]).toEqual([undefined, sha256(stored)]);
  });
});

test("the sweep asks for the check of what is live unchecked, as releases from before the rule are, and of nothing else", async () => {
  await publishOlder();
  await makeLive(ada, await open(ada, trueCopies));
  const asked = async () => {
    const requests = await store.during(() => sweepProject(slug, sweepOf()));
    return requests.filter(({ kind, path }) => kind === "put" && path.includes(`/checks/${slug}/`)).length;
  };
  expect(await asked()).toBe(0);
  holdChecks(true);
  expect(await makeLive(ada, await open(ada, trueCopies, "<p>unchecked"))).toMatchObject({ status: 200 });
  expect(await asked()).toBe(1);
  await checked();
  expect(await asked()).toBe(0);
  expect(await played()).toEqual(asCopies);
});

/** Opens a release of which the test alone checks the copies. @returns its manifest's digest, and the key of a request to check it */
async function unchecked(copies: Copies) {
  holdChecks(true);
  const requests = await store.during(() => open(ada, copies));
  // Checks of an earlier test's project may be tried again meanwhile.
  const ofProject = new RegExp(`/checks/${slug}/([0-9a-f]{64})/`);
  const [digest = ""] = requests.flatMap(({ path }) => ofProject.exec(path)?.[1] ?? []);
  expect(digest).not.toBe("");
  const key = `of-test/${slug}/${digest}/1.json`;
  await writeObject(key, Buffer.from(JSON.stringify({ older: [] })));
  return { digest, key };
}

const objectOf = (bytes: string | Buffer) => `/svc-local/projects/${slug}/files/${sha256(bytes)}`;

describe("a check that fails", () => {
  test.each([
    ["while it reads a copy", "get", `/files/${sha256(trueCopies.delta)}`],
    ["before it has written what it found out", "put", "/facts/"],
  ])("%s is done again", async (_, failing, part) => {
    await publishOlder();
    const { digest, key } = await unchecked(trueCopies);
    let failures = 0;
    store.plan(({ kind, path }) => {
      if (kind === "get" && path.includes("/checks/")) return 403;
      if (kind !== failing || !path.includes(part) || failures > 0) return undefined;
      failures += 1;
      return 403;
    });
    await expect(checkRequested(key, () => true)).rejects.toThrow();
    expect(failures).toBe(1);
    expect(await findCopyFacts(slug, digest)).toBeUndefined();
    expect(await checkRequested(key, () => true)).toBe(true);
    expect(await findCopyFacts(slug, digest)).toBeDefined();
  });
});

test("two checks at once find out the same", async () => {
  await publishOlder();
  const copies = { br: trueCopies.br, delta: planted["a delta"].delta };
  const { digest, key } = await unchecked(copies);
  const both = Promise.withResolvers<undefined>();
  let [readers, writers] = [0, 0];
  store.plan(({ kind, path }) => {
    if (path.includes("/checks/")) return kind === "get" ? 403 : undefined;
    if (kind === "put" && path.includes("/facts/")) writers += 1;
    if (kind !== "get" || path !== objectOf(copies.br)) return undefined;
    readers += 1;
    if (readers === 2) both.resolve(undefined);
    return both.promise;
  });
  expect(await Promise.all([1, 2].map(() => checkRequested(key, () => true)))).toEqual([true, true]);
  expect([readers, writers]).toEqual([2, 2]);
  const facts = await findCopyFacts(slug, digest);
  const content = (bytes: string | Buffer) => ({ size: Buffer.byteLength(bytes), sha256: sha256(bytes) });
  expect(facts?.isTrue({ file: { path: "game.js", ...content(script) }, copy: content(copies.br) })).toBe(true);
  const delta = { ...content(copies.delta), dictionary: sha256(older) };
  expect(facts?.isDifferent({ file: { path: "data.bin", ...content(newer) }, copy: delta })).toBe(true);
});

test("a check whose time is over is done again, but not what it had found out", async () => {
  await publishOlder();
  const { digest, key } = await unchecked(trueCopies);
  const copiesRead = async (hasTime: () => boolean, isDone: boolean) => {
    const requests = await store.during(async () => expect(await checkRequested(key, hasTime)).toBe(isDone));
    const objects = [trueCopies.br, trueCopies.delta].map(objectOf);
    return requests.flatMap(({ kind, path }) => (kind === "get" && objects.includes(path) ? [path] : []));
  };
  let left = 1;
  const forOne = () => {
    left -= 1;
    return left >= 0;
  };
  expect(await copiesRead(forOne, false)).toEqual([objectOf(trueCopies.br)]);
  expect(await findCopyFacts(slug, digest)).toBeUndefined();
  expect(await copiesRead(() => true, true)).toEqual([objectOf(trueCopies.delta)]);
  expect(await findCopyFacts(slug, digest)).toBeDefined();
});

test("what was found out is deleted with the manifest that it is about, and stays for the others", async () => {
  await publishOlder();
  for (const page of ["<p>first", "<p>second"])
    expect(await makeLive(ada, await open(ada, trueCopies, page))).toMatchObject({ status: 200 });
  const digestsIn = async (prefix: string) => {
    const { objects } = await listObjects({ prefix, startAfter: prefix, maximum: 1_000 });
    return objects.map(({ key }) => /[0-9a-f]{64}/.exec(key)?.[0]);
  };
  const stored = () => Promise.all([digestsIn(manifestsPrefix(slug)), digestsIn(factsPrefix(slug))]);
  const [manifests, facts] = await stored();
  expect([manifests?.length, facts?.length]).toEqual([3, 2]);
  await sweepProject(slug, sweepOf());
  const [live, kept] = await stored();
  expect(live).toHaveLength(1);
  expect(kept).toEqual(live);
  expect(await played()).toEqual(asCopies);
});
