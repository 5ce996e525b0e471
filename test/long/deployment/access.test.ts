import { setTimeout as delay } from "node:timers/promises";
import { brotliCompressSync } from "node:zlib";
import { beforeAll, expect, test } from "@jest/globals";
import { limits } from "../../../contract/api/limits.ts";
import { oauthClientId } from "../../../contract/api/login/authorization-request.ts";
import { accountKeyOf } from "../../../contract/api/tokens/token-format.ts";
import { partSizes } from "../../../contract/folder/content-hash.ts";
import { nameOfParts } from "../../../contract/folder/parts.ts";
import { beginUpload } from "../../../functions/files/multipart.ts";
import { fileKey, proofsPrefix } from "../../../functions/files/object-keys.ts";
import { keys } from "../../../functions/table/keys.ts";
import {
  githubClaims,
  githubPublisher,
  jobExchange,
  newRepository,
  startJobIssuers,
} from "../../support/identity/jobs.ts";
import { optionUses } from "../../support/option-lists.ts";
import { type RouteName, routes } from "../../support/routes.ts";
import { type Actor, actorsOf, type TokenActor } from "../../support/service/actors.ts";
import { functionEnvironment } from "../../support/service/function-environment.ts";
import { addMember, type Owner, operations, perform, withProject } from "../../support/service/operations.ts";
import { contentOf, newPack, sendPack } from "../../support/service/packs.ts";
import { startRecordedService } from "../../support/service/recorded-service.ts";
import {
  manifestOf,
  minutesAhead,
  newSlug,
  offer,
  openRelease,
  publish,
  sha256,
  type UploadUrl,
  upload,
} from "../../support/service/steps.ts";
import { duringTests } from "../../support/service/suite.ts";
import { type StoreRequest, startRecordedStore, withoutChecks } from "../../support/store/store-recorder.ts";
import { leadingKeysOf, ofType, permissionsOf, synthesise } from "../../support/synthesis.ts";
import type { RecordedCall } from "../../support/table/dynamodb-recorder.ts";
import { removeAttributes, setAttribute } from "../../support/table/stored.ts";

/*
 * Least privilege, in both directions: every route is called in each way that changes what it does, and its actions on
 * the table and the bucket are exactly those that the role of its function in the synthesised stack allows.
 */

const granted = synthesise("staging");
const used = new Map<RouteName, Set<string>>();
const usedPartitions = new Map<RouteName, Set<string>>();

const store = duringTests(startRecordedStore);
const issuers = duringTests(startJobIssuers);
const service = duringTests(() => startRecordedService({ env: { S3_ENDPOINT: store.endpoint, ...issuers.env } }));
const actors = actorsOf(service);
const approving = duringTests(() => startRecordedService({ env: { DEVELOPER_APPROVAL: "1" } }));

/** A request of each route takes a busy machine minutes. */
beforeAll(() => useEverything(), 400_000);

const writes: StoreRequest[] = [];

/** Runs something and records its actions on table and bucket as those of this route. */
async function as<T>(route: RouteName, action: () => Promise<T>, { recorder } = service): Promise<T> {
  const result = Promise.withResolvers<T>();
  let calls: RecordedCall[] = [];
  const requests = await store.during(async () => {
    calls = await recorder.during(() => action().then(result.resolve, result.reject));
  });
  writes.push(...requests.filter(({ kind }) => kind === "put"));
  const actions = [...calls.flatMap(tableActions), ...requests.flatMap(actionsOnObjects)];
  used.set(route, new Set([...(used.get(route) ?? []), ...actions]));
  const partitions = calls.flatMap(partitionsOf);
  usedPartitions.set(route, new Set([...(usedPartitions.get(route) ?? []), ...partitions]));
  return await result.promise;
}

/** The kinds of partitions in which a call reads or writes: what `dynamodb:LeadingKeys` compares. */
function partitionsOf({ operation, input }: RecordedCall): string[] {
  return keysIn(operation, input).map((key) => key.replace(/#.*/, "#*"));
}

function keysIn(operation: string, input: RecordedCall["input"]): string[] {
  if (operation === "TransactWriteItems")
    return input.TransactItems.flatMap(Object.values).map(({ Key, Item }: RecordedCall["input"]) => (Key ?? Item).PK.S);
  if (operation === "BatchGetItem")
    return Object.values<RecordedCall["input"]>(input.RequestItems).flatMap(({ Keys }) =>
      Keys.map(({ PK }: RecordedCall["input"]) => PK.S),
    );
  if (operation === "BatchWriteItem")
    return Object.values<RecordedCall["input"]>(input.RequestItems)
      .flat()
      .map(({ PutRequest, DeleteRequest }) => (PutRequest?.Item ?? DeleteRequest.Key).PK.S);
  if (operation !== "Query") return [(input.Key ?? input.Item).PK.S];
  const [, value = ""] = /^#?\w+ = (:\w+)/.exec(input.KeyConditionExpression) ?? [];
  return [input.ExpressionAttributeValues[value].S];
}

/** A call as IAM sees it: a transaction needs the action of each of its writes and has none of its own. */
function tableActions({ operation, input }: RecordedCall): string[] {
  if (operation !== "TransactWriteItems") return [`dynamodb:${operation} Table`];
  return input.TransactItems.flatMap(Object.keys).map((write: string) =>
    write === "ConditionCheck" ? "dynamodb:ConditionCheckItem Table" : `dynamodb:${write}Item Table`,
  );
}

const objectActions: Record<string, string> = {
  get: "GetObject",
  put: "PutObject",
  begin: "PutObject",
  part: "PutObject",
  copy: "PutObject",
  complete: "PutObject",
  delete: "DeleteObject",
  parts: "ListMultipartUploadParts",
  abort: "AbortMultipartUpload",
};

function actionsOnObjects({ kind, path, headers }: StoreRequest): string[] {
  const key = path.replace(`/${store.bucketName}/`, "").replace(/^(projects|proofs)\/[^/]+\//, "$1/*/");
  const [, about] = /^(facts\/|checks\/|found\/|packs\/)/.exec(key) ?? [];
  if (about === "facts/") return [`s3:${objectActions[kind]} Files/facts/*/*.json`];
  // What checks copies in the same process reads there is no route's.
  if (about === "checks/") return kind === "get" ? [] : [`s3:${objectActions[kind]} Files/checks/*/*/*.json`];
  if (about === "found/") return kind === "put" ? ["s3:PutObject Files/found/*/*/*.json"] : [];
  if (about === "packs/") return [`s3:${objectActions[kind]} Files/packs/*/*/*/*`];
  if (key.startsWith("passing/")) return [`s3:${objectActions[kind]} Files/passing/${key.split("/")[1]}/*/*`];
  if (kind === "uploads") return ["s3:ListBucketMultipartUploads Files"];
  if (kind === "list") return [`s3:ListBucket Files of ${key.replace(/^proofs\/.*/, "proofs/*/")}`];
  const source = headers["x-amz-copy-source"]?.toString();
  const read =
    source === undefined ? [] : actionsOnObjects({ kind: "get", path: source, headers: {}, hasResponse: true });
  return [...read, `s3:${objectActions[kind]} Files/${key.replace(/[0-9a-f]{64}/g, "*")}`];
}

/** A preview that is kept no longer: its release need not expire later. */
async function useKeptPreview(owner: Owner): Promise<void> {
  const operation = await operations.updatePreview(owner);
  for (const kept of [true, false])
    expect((await as("updatePreview", () => perform(owner, { ...operation, body: { kept } }))).status).toBe(200);
}

/** The next use of a token is recorded when the last recorded one is more than an hour ago. */
async function forgetUse({ credential, id }: TokenActor): Promise<void> {
  await setAttribute(service, keys.token(accountKeyOf(credential), id), "lastUsedAt", "2020-01-01T00:00:00.000Z");
}

/** Calls a route in each way that makes a difference: with an ID token, with a new token, and with a used one. */
async function useRoute(route: RouteName, owner: Owner): Promise<void> {
  const request = async (caller: Actor) => {
    const operation = await operations[route](owner);
    const { status } = await as(route, () => perform(caller, operation));
    if (status >= 400) throw new Error(`${route} responded with ${status}`);
  };
  const { credential } = routes[route];
  if (credential !== "token") await request(credential === "none" ? actors.anonymous : owner);
  if (credential !== "any" && credential !== "token") return;
  const newToken = () => owner.token({ scopes: ["publish", "projects"] });
  const token = await newToken();
  await request(token);
  // The first request may have revoked the token.
  const used = credential === "token" ? await newToken() : token;
  await forgetUse(used);
  await request(used);
}

async function useEverything(): Promise<void> {
  store.plan(withoutChecks);
  const owner = await withProject(await actors.developer());
  for (const route of Object.keys(routes) as RouteName[])
    await useRoute(route, route === "deleteMe" ? await ownerWithToken() : owner);
  const stranger = await actors.stranger();
  await as("createSession", () => stranger.post("/auth/session"));
  await as("createSession", () => stranger.post("/auth/session", { role: "dev" }));
  const waiting = await actorsOf(approving).stranger();
  await as("createSession", () => waiting.post("/auth/session", { role: "dev" }), approving);
  const narrowed = { name: "CI", scopes: ["publish"], projects: [owner.slug] };
  await as("createToken", () => owner.post("/tokens", narrowed));
  await useRepetitions(owner);
  const approval = await operations.answerDeviceRequest(owner);
  const keyed = { ...approval, headers: { "idempotency-key": "approval" } };
  await as("answerDeviceRequest", () => perform(owner, keyed));
  await useDeviceGrant(owner);
  await useJobIdentity(owner);
  await useExport(owner);
  await useCountedProject(owner);
  await useMembers(owner);
  await usePeople(owner);
  await useTeam(owner);
  await useWithdrawalOffline(await withProject(await actors.developer()));
  await useUndecided(await withProject(await actors.developer()));
  await useWithdrawalOpen(await withProject(await actors.developer()));
  await useUploadUrl(owner);
  await useParts(await withProject(owner));
  await useProofs(await withProject(owner));
  await useCopies(await withProject(owner));
  await usePacks(await withProject(owner));
  await useLiveRelease(await withProject(owner));
  await useKeptPreview(await withProject(owner));
  for (const use of optionUses) await use(await withProject(await actors.developer()), { service, as });
  await useFullProject(await withProject(await actors.developer()));
}

/** Of a project of before, of which nothing is live, the release that was live last says what the next one begins with. */
async function useUndecided(owner: Owner): Promise<void> {
  const { slug } = owner;
  const id = await publish(owner, slug, { "index.html": "1" });
  await owner.post(`/projects/${slug}/unpublish`);
  await removeAttributes(service, keys.project(slug), "decided");
  const at = `/projects/${slug}/releases/${id}`;
  expect((await as("compareRelease", () => owner.get(`${at}/changes`))).status).toBe(200);
  const token = await owner.token();
  expect((await as("publishRelease", () => token.post(`${at}/publish`))).status).toBe(200);
}

/** A refusal names the drafts that hold the room. */
async function useFullProject({ slug, ...owner }: Owner): Promise<void> {
  const filesOf = (name: string) =>
    Array.from({ length: 18 }, (_, index) => {
      const path = `${name}-${index}.pck`;
      return { path, size: limits.bytesPerFile, sha256: sha256(path) };
    });
  const open = (name: string) => owner.post(`/projects/${slug}/releases`, { files: filesOf(name) });
  for (const name of ["first", "second"]) expect((await open(name)).body.code).toBeUndefined();
  expect(await as("createRelease", () => open("third"))).toMatchObject({ body: { code: "quota_exceeded" } });
}

/** The notice of its token's expiry is deleted with the account. */
async function ownerWithToken(): Promise<Owner> {
  const owner = await withProject(await actors.developer());
  await owner.token();
  return owner;
}

/** A repeated creation revokes the token that nobody got, and a replayed code the token that it was exchanged for. */
async function useRepetitions(owner: Owner): Promise<void> {
  const creation = { ...(await operations.createToken(owner)), headers: { "idempotency-key": "token" } };
  const exchange = await operations.exchangeGrant(owner);
  const statuses: number[] = [];
  for (const _ of [1, 2]) {
    statuses.push((await as("createToken", () => perform(owner, creation))).status);
    statuses.push((await as("exchangeGrant", () => perform(actors.anonymous, exchange))).status);
  }
  expect(statuses).toEqual([201, 200, 201, 400]);
}

async function useDeviceGrant(owner: Owner): Promise<void> {
  const form = (fields: Record<string, string>) => new URLSearchParams({ client_id: oauthClientId, ...fields });
  const post = (path: string, body: URLSearchParams) => perform(actors.anonymous, { method: "POST", path, body });
  const { body: device } = await post("/oauth/device_authorization", form({}));
  const grant = { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code: device.device_code };
  const exchange = () => as("exchangeGrant", () => post("/oauth/token", form(grant)));
  expect(await exchange()).toMatchObject({ status: 400, body: { error: "authorization_pending" } });
  const decision = await operations.answerDeviceRequest(owner);
  await perform(owner, { ...decision, path: `/oauth/device/${device.user_code}` });
  await delay(limits.devicePollIntervalSeconds * 1_000);
  expect(await exchange()).toMatchObject({ status: 200, body: { token_type: "Bearer" } });
}

async function useJobIdentity({ slug, ...owner }: Owner): Promise<void> {
  const repository = newRepository();
  await owner.post(`/projects/${slug}/publishers`, githubPublisher(repository, issuers.github.issuer));
  const job = issuers.github.idToken({ claims: { aud: service.api, ...githubClaims(repository) } });
  const body = new URLSearchParams({ ...jobExchange(service.api, slug, job), owner: owner.uid });
  const { body: response } = await as("exchangeGrant", () =>
    perform(actors.anonymous, { method: "POST", path: "/oauth/token", body }),
  );
  const ci = actors.bearer(response.access_token);
  const files = manifestOf({ "index.html": `by CI ${slug}` });
  for (const message of ["1", "2"])
    await as("createRelease", () => ci.post(`/projects/${slug}/releases`, { files, message }));
  expect((await as("revokeCurrentToken", () => ci.delete("/tokens/current"))).status).toBe(204);
  await usePendingPublisher({ slug, ...owner });
}

/** The first exchange for a project that does not exist creates it. */
async function usePendingPublisher(owner: Owner): Promise<void> {
  const [repository, project] = [newRepository(), newSlug()];
  await owner.post("/publishers", { project, publisher: githubPublisher(repository, issuers.github.issuer) });
  const job = issuers.github.idToken({ claims: { aud: service.api, ...githubClaims(repository) } });
  const body = new URLSearchParams({ ...jobExchange(service.api, project, job), owner: owner.uid });
  const exchange = { method: "POST", path: "/oauth/token", body };
  expect((await as("exchangeGrant", () => perform(actors.anonymous, exchange))).status).toBe(200);
}

/** All pages of an export, with projects and releases. */
async function useExport(owner: Owner): Promise<void> {
  for (let cursor: string | undefined = ""; cursor !== undefined; ) {
    const page = await as("exportMe", () =>
      owner.get(`/me/export${cursor && `?cursor=${encodeURIComponent(cursor)}`}`),
    );
    cursor = page.body.next_cursor ?? undefined;
  }
}

/** Deletes, restores and hands over a project that has files, which are counted in its account. */
async function useCountedProject(owner: Owner): Promise<void> {
  const { slug } = await withProject(owner);
  const heir = await owner.otherDeveloper();
  await publish(owner, slug, { "index.html": `counted ${slug}` });
  await as("deleteProject", () => owner.delete(`/projects/${slug}`));
  expect(await as("restoreProject", () => owner.post(`/projects/${slug}/restore`))).toMatchObject({ status: 200 });
  const accept = await offer(owner, slug, heir);
  expect(await as("acceptInvitation", accept)).toMatchObject({ status: 200 });
}

/** A member's token is refused, and the member removed with what it has invited. */
async function useMembers(owner: Owner): Promise<void> {
  const { slug } = await withProject(owner);
  const path = `/projects/${slug}`;
  const [first, second] = [await owner.otherDeveloper(), await owner.otherDeveloper()];
  await addMember(owner, slug, first, "admin");
  await first.post(`${path}/invitations`, { role: "publisher", to: second.uid });
  const { members } = (await owner.get(`${path}/members`)).body;
  const { id } = await first.token();
  await as("updateProjectToken", () => owner.patch(`${path}/tokens/${id}`, { refused: true }));
  await as("removeMember", () => owner.delete(`${path}/members/${members[1].id}`));
}

/** Whoever becomes the owner takes what is stored; an admin who becomes a publisher has invited nobody; a member deletes the account. */
async function usePeople(owner: Owner): Promise<void> {
  const { slug } = await withProject(owner);
  const path = `/projects/${slug}`;
  const [heir, admin, invited] = [
    await owner.otherDeveloper(),
    await owner.otherDeveloper(),
    await owner.otherDeveloper(),
  ];
  await publish(owner, slug, { "index.html": `counted ${slug}` });
  await addMember(owner, slug, admin, "admin");
  await admin.post(`${path}/invitations`, { role: "publisher", to: invited.uid });
  const { members } = (await owner.get(`${path}/members`)).body;
  const change = () => owner.patch(`${path}/members/${members[1].id}`, { role: "publisher" });
  expect(await as("updateMember", change)).toMatchObject({ status: 200 });
  for (const to of [admin, heir]) {
    const sent = () => owner.post(`${path}/invitations`, { role: "owner", to: to.uid });
    expect(await as("createInvitation", sent)).toMatchObject({ status: 200 });
  }
  // The name under which an account publishes comes, and goes.
  for (const display_name of ["Ada's Games", null])
    expect(await as("updateMe", () => owner.patch("/me", { display_name }))).toMatchObject({ status: 200 });
  const listed = await as("listInvitations", () => heir.get("/invitations"));
  const [{ id }] = listed.body.invitations;
  const accept = () => heir.post(`${path}/invitations/${id}/acceptance`);
  expect(await as("acceptInvitation", accept)).toMatchObject({ status: 200 });
  expect(await as("deleteMe", () => admin.delete("/me"))).toMatchObject({ status: 204 });
}

/** Somebody joins several projects and those to come, and is in one that is created. */
async function useTeam(owner: Owner): Promise<void> {
  const [{ slug }, person] = [await withProject(owner), await owner.otherDeveloper()];
  const path = `/projects/${slug}/invitations`;
  const body = { role: "admin", to: person.uid, projects: [owner.slug], future: true };
  const { id } = (await as("createInvitation", () => owner.post(path, body))).body;
  const accepted = await as("acceptInvitation", () => person.post(`${path}/${id}/acceptance`));
  expect(accepted.body).toMatchObject({ more_projects: [{ result: "joined" }], future: true });
  expect(await as("createProject", () => owner.post("/projects", { slug: newSlug() }))).toMatchObject({ status: 201 });
  expect((await as("leaveTeam", () => owner.delete(`/team?uid=${person.uid}`))).body.projects).toHaveLength(3);
}

/** An upload URL needs the permissions of the function that signs it. */
async function useUploadUrl({ slug, ...owner }: Owner): Promise<void> {
  const [first, second] = [`opened ${slug}`, `uploaded ${slug}`];
  const files = manifestOf({ "a.txt": first, "b.txt": second });
  const { body } = await as("createRelease", async () => {
    const opened = await owner.post(`/projects/${slug}/releases`, { files });
    const url = opened.body.first_uploads.uploads.find((one: UploadUrl) => one.sha256 === sha256(first));
    expect(await upload(url, first)).toBe(200);
    return opened;
  });
  await as("createUploads", async () => {
    const path = `/projects/${slug}/releases/${body.release.id}/uploads`;
    const { body: response } = await owner.post(path, { sha256: [sha256(second)] });
    expect(await upload(response.uploads[0], second)).toBe(200);
  });
}

/** A pack: unpacked, and replaced by another one in its slot; of one that may only open previews, what it sends stays its own. */
async function usePacks({ slug, ...owner }: Owner): Promise<void> {
  for (const actor of [owner, await owner.token({ scopes: ["preview"] })]) {
    const [{ files, pack }, other] = [newPack(), newPack()];
    const { body } = await as("createRelease", () => actor.post(`/projects/${slug}/releases`, { files }));
    const path = `/projects/${slug}/releases/${body.release.id}/packs`;
    await as("unpackFiles", async () => {
      const first = await actor.post(path, { slot: 0, ...contentOf(other.pack) });
      expect(await upload(first.body.upload, other.pack)).toBe(200);
      expect((await sendPack(actor, { slug, id: body.release.id }, pack)).body).toMatchObject({ unpacked: true });
    });
  }
}

/** A file in parts: its upload is begun, a second one aborted, a part copied from the live release, and the file completed. */
async function useParts({ slug, ...owner }: Owner): Promise<void> {
  const bytesPerPart = 5 * 1024 * 1024;
  const bytes = Buffer.alloc(16 * 1024 * 1024 + 1, slug);
  const live = bytes.subarray(0, bytesPerPart + 1);
  const indexed = {
    path: "world.pck",
    size: live.length,
    sha256: sha256(live),
    index: { size: 5, sha256: sha256("index") },
  };
  await publish(owner, slug, { "index.html": "1", "world.pck": live, index: "index" }, [
    ...manifestOf({ "index.html": "1" }),
    indexed,
  ]);
  const pieces = partSizes(bytes.length).map((size, index) =>
    bytes.subarray(index * bytesPerPart, index * bytesPerPart + size),
  );
  const parts = pieces.map(sha256);
  const name = nameOfParts(parts);
  const file = { path: "world.pck", size: bytes.length, sha256: name };
  const { body } = await as("createRelease", async () => {
    const opened = await owner.post(`/projects/${slug}/releases`, { files: [file] });
    expect((await fetch(opened.body.indexes[0].url)).status).toBe(200);
    return opened;
  });
  Object.assign(process.env, functionEnvironment(service), { S3_ENDPOINT: store.endpoint });
  await as("continueUpload", async () => {
    for (const _ of [1, 2]) await beginUpload(fileKey(slug, name));
    const path = `/projects/${slug}/releases/${body.release.id}/uploads/${name}`;
    const copies = [{ number: 1, sha256: sha256(live), offset: 0 }];
    const begun = await owner.post(path, { parts, bytes_per_part: bytesPerPart, copies });
    expect(begun.body.parts.map(({ number }: { number: number }) => number)).toEqual([2, 3, 4]);
    for (const url of begun.body.parts) expect(await upload(url, pieces[url.number - 1] ?? "")).toBe(200);
    expect((await owner.post(path, { parts, bytes_per_part: bytesPerPart })).body).toMatchObject({ stored: true });
  });
}

/** What tokens that may only open previews have sent becomes the project's with a preview, or when the release goes live. */
async function useProofs({ slug, ...owner }: Owner): Promise<void> {
  const bytesPerPart = 5 * 1024 * 1024;
  const path = `/projects/${slug}/releases`;
  for (const [route, act, body] of [
    ["openPreview", "preview"],
    ["scheduleRelease", "schedule", { at: minutesAhead(90) }],
    ["publishRelease", "publish"],
  ] as const) {
    const token = await owner.token({ scopes: ["preview"] });
    const bytes = Buffer.alloc(16 * 1024 * 1024 + 1, `${act} ${slug}`);
    const [live, page, script] = [bytes.subarray(0, bytesPerPart + 1), `${act} page`, `${act} script`];
    const parts = partSizes(bytes.length).map((size, index) =>
      bytes.subarray(index * bytesPerPart, index * bytesPerPart + size),
    );
    const names = { parts: parts.map(sha256), bytes_per_part: bytesPerPart };
    const name = nameOfParts(names.parts);
    const files = [
      ...manifestOf({ "index.html": page, "game.js": script, "small.pck": live }),
      { path: "world.pck", size: bytes.length, sha256: name },
    ];
    const { body: created } = await as("createRelease", async () => {
      const opened = await token.post(path, { files });
      for (const url of opened.body.first_uploads.uploads as UploadUrl[])
        if (url.sha256 === sha256(page)) expect(await upload(url, page)).toBe(200);
      return opened;
    });
    const at = `${path}/${created.release.id}`;
    await as("createUploads", async () => {
      const { body: given } = await token.post(`${at}/uploads`, { sha256: [script, live].map(sha256) });
      for (const url of given.uploads as UploadUrl[])
        expect(await upload(url, url.sha256 === sha256(live) ? live : script)).toBe(200);
    });
    Object.assign(process.env, functionEnvironment(service), { S3_ENDPOINT: store.endpoint });
    await as("continueUpload", async () => {
      for (const _ of [1, 2]) await beginUpload(proofsPrefix(slug, token.id) + name);
      const copies = [{ number: 1, sha256: sha256(live), offset: 0 }];
      const begun = await token.post(`${at}/uploads/${name}`, { ...names, copies });
      for (const url of begun.body.parts) expect(await upload(url, parts[url.number - 1] ?? "")).toBe(200);
      expect((await token.post(`${at}/uploads/${name}`, names)).body).toMatchObject({ stored: true });
    });
    const caller = act === "preview" ? token : owner;
    store.plan((request) => (request.kind === "copy" ? 403 : withoutChecks(request)));
    expect((await as(route, () => caller.post(`${at}/${act}`, body))).status).toBe(500);
    store.plan(withoutChecks);
    expect(await as(route, () => caller.post(`${at}/${act}`, body))).toMatchObject({ status: 200 });
  }
}

/** A release with a copy. */
async function useCopies({ slug, ...owner }: Owner): Promise<void> {
  const script = `let score = "${slug}";\n`.repeat(200);
  const br = brotliCompressSync(script);
  const files = manifestOf({ "index.html": slug, "game.js": script }).map((file) =>
    file.path === "game.js" ? { ...file, br: { size: br.length, sha256: sha256(br) } } : file,
  );
  const folder = { "index.html": slug, "game.js": script, "game.js.br": br };
  const { body } = await as("createRelease", () => openRelease(owner, slug, folder, files));
  for (const [route, act, wanted] of [
    ["openPreview", "preview"],
    ["scheduleRelease", "schedule", { at: minutesAhead(80) }],
    // In the place of the one before, at another time.
    ["scheduleRelease", "schedule", { at: minutesAhead(70) }],
    ["publishRelease", "publish"],
  ] as const) {
    const call = () => owner.post(`/projects/${slug}/releases/${body.release.id}/${act}`, wanted);
    expect(await as(route, call)).toMatchObject({ status: 200 });
    // Only before it is published has it a preview.
    expect(await as("listPreviews", () => owner.get(`/projects/${slug}/previews`))).toMatchObject({ status: 200 });
  }
}

/** A page, which the function serves itself, and a picture, which it redirects to. */
const contents = { "index.html": "<h1>Pong</h1>", "ball.png": "a ball" };

/** Calls of a route that depend on another live release. */
async function useLiveRelease(owner: Owner): Promise<void> {
  const first = await publish(owner, owner.slug, contents);
  await publish(owner, owner.slug, { "index.html": "<h1>Pong 2</h1>" });
  const path = `/projects/${owner.slug}/releases`;
  const { body } = await as("createRelease", () => owner.post(path, { files: manifestOf({ "a.txt": "a" }) }));
  expect(body.release.status).toBe("open");
  expect(await as("publishRelease", () => owner.post(`${path}/${first}/publish`))).toMatchObject({ status: 200 });
  const project = `/projects/${owner.slug}`;
  expect(await as("updateProject", () => owner.patch(project, { picture: null }))).toMatchObject({ status: 200 });
  for (const name of Object.keys(contents))
    await as("getFile", async () => {
      const response = await fetch(`${service.api}/projects/${owner.slug}/files/${name}`);
      expect(response.status).toBe(200);
      await response.bytes();
    });
  await as("listFiles", async () => {
    const [file] = (await owner.get(`${path}/${first}/files`)).body.files;
    expect((await fetch(file.url, { headers: { "svc-older-file": "1" } })).status).toBe(200);
  });
}

/** While a project is offline, no earlier release is in its pointer: withdrawing one only checks the project. */
async function useWithdrawalOffline(owner: Owner): Promise<void> {
  const id = await publish(owner, owner.slug, contents);
  expect((await owner.post(`/projects/${owner.slug}/unpublish`)).status).toBe(200);
  const path = `/projects/${owner.slug}/releases/${id}/withdraw`;
  expect(await as("withdrawRelease", () => owner.post(path))).toMatchObject({ status: 200 });
}

/** An open release that is withdrawn gives its place to the next one with the same files. */
async function useWithdrawalOpen(owner: Owner): Promise<void> {
  const { body } = await openRelease(owner, owner.slug, contents);
  const path = `/projects/${owner.slug}/releases/${body.release.id}/withdraw`;
  expect(await as("withdrawRelease", () => owner.post(path))).toMatchObject({ status: 200 });
}

test.each(Object.keys(routes) as RouteName[])("%s may do exactly what it does", (route) => {
  const aboutData = permissionsOf(granted, route).filter((permission) => /^(dynamodb|s3):/.test(permission));
  expect([...(used.get(route) ?? [])].toSorted()).toEqual(aboutData);
});

test.each(Object.keys(routes) as RouteName[])("%s may use exactly the partitions that it uses", (route) => {
  expect([...(usedPartitions.get(route) ?? [])].toSorted()).toEqual(leadingKeysOf(granted, route));
});

test("every write of a function or by an upload URL is allowed by the bucket's policy", () => {
  const denials = ofType(granted, "AWS::S3::BucketPolicy")
    .flatMap(({ Properties }) => Properties.PolicyDocument.Statement)
    .filter(({ Effect, Action }) => Effect === "Deny" && Action === "s3:PutObject")
    .flatMap(({ Condition }) => Object.keys(Condition.Null ?? {}));
  expect(denials).toEqual(["s3:if-none-match"]);
  expect(writes.length).toBeGreaterThan(2);
  for (const { headers } of writes) expect(headers).toMatchObject({ "if-none-match": "*" });
});
