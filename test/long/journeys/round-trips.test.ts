import { beforeAll, describe, expect, test } from "@jest/globals";
import { actorsOf, type Developer } from "../../support/service/actors.ts";
import { addMember, perform } from "../../support/service/operations.ts";
import { manifestOf, newProject, newSlug, offer, openRelease, publish } from "../../support/service/steps.ts";
import { useRecordedService } from "../../support/service/suite.ts";
import {
  capacityUnits,
  isRead,
  type RecordedCall,
  sequentialRoundTrips,
} from "../../support/table/dynamodb-recorder.ts";

const service = useRecordedService();
const actors = actorsOf(service);
let ada: Developer;

beforeAll(async () => {
  ada = await actors.developer();
});

/** Every read is strongly consistent; otherwise "the next request" could miss the change. */
function expectConsistent(calls: readonly RecordedCall[]): void {
  for (const { operation, input } of calls.filter(isRead)) {
    const requests = operation === "BatchGetItem" ? Object.values(input.RequestItems) : [input];
    for (const request of requests) expect(request).toMatchObject({ ConsistentRead: true });
  }
}

async function operationsDuring(action: () => Promise<unknown>): Promise<string[]> {
  const calls = await service.recorder.during(action);
  expectConsistent(calls);
  expect(sequentialRoundTrips(calls)).toBe(calls.length);
  return calls.map(({ operation }) => operation);
}

/** Of the creation of a project, which reads the owner's team and the deleted projects at once, in whichever order. */
async function operationsOfCreation(action: () => Promise<unknown>): Promise<string[]> {
  const calls = await service.recorder.during(action);
  expectConsistent(calls);
  const operations = calls.map(({ operation }) => operation);
  return [...operations.slice(0, 1), ...operations.slice(1, 3).toSorted(), ...operations.slice(3)];
}

const authentication = "BatchGetItem";
const change = "TransactWriteItems";
/** The team of the owner of a new project, and the deleted projects. */
const ofOwner = ["BatchGetItem", "Query"];
/** The projects of a list, and how they were played. */
const projects = ["BatchGetItem", "BatchGetItem"];

describe("the round trips, one after the other, of", () => {
  test("GET /me by ID token: 1", async () => {
    expect(await operationsDuring(() => ada.get("/me"))).toEqual([authentication]);
  });

  test("GET /me by token: 1, and 1 more for the first use in an hour", async () => {
    const token = await ada.token();
    expect(await operationsDuring(() => token.get("/me"))).toEqual([authentication, change]);
    expect(await operationsDuring(() => token.get("/me"))).toEqual([authentication]);
  });

  test("POST /projects by token: 3, and after them 1 more for the first use, which would conflict with the change", async () => {
    const token = await ada.token({ scopes: ["publish", "projects"] });
    const create = () => token.post("/projects", { slug: newSlug() });
    expect(await operationsOfCreation(create)).toEqual([authentication, ...ofOwner, change, change]);
    expect(await operationsOfCreation(create)).toEqual([authentication, ...ofOwner, change]);
  });

  test("POST /auth/session: 2 that create, 2 that upgrade, 1 if nothing changes", async () => {
    const stranger = await actors.stranger();
    expect(await operationsDuring(() => stranger.post("/auth/session"))).toEqual([authentication, change]);
    expect(await operationsDuring(() => stranger.post("/auth/session", { role: "dev" }))).toEqual([
      authentication,
      change,
    ]);
    expect(await operationsDuring(() => stranger.post("/auth/session", { role: "dev" }))).toEqual([authentication]);
  });

  test("PATCH /me: 2, and 1 if nothing changes", async () => {
    expect(await operationsDuring(() => ada.patch("/me", { bio: "x" }))).toEqual([authentication, "UpdateItem"]);
    expect(await operationsDuring(() => ada.patch("/me", {}))).toEqual([authentication]);
  });

  test("POST /tokens, GET /tokens and DELETE /tokens/:id: 2", async () => {
    const request = { name: "CI", scopes: ["publish"] };
    expect(await operationsDuring(() => ada.post("/tokens", request))).toEqual([authentication, change]);
    expect(await operationsDuring(() => ada.get("/tokens"))).toEqual([authentication, "Query"]);
    expect(await operationsDuring(() => ada.get("/tokens?status=active"))).toEqual([authentication, "BatchGetItem"]);
    const { id } = await ada.token();
    expect(await operationsDuring(() => ada.delete(`/tokens/${id}`))).toEqual([authentication, change]);
  });

  test("GET /me/events: 2; GET /users/:uid: 1; GET /health and GET /openapi.json: none", async () => {
    expect(await operationsDuring(() => ada.get("/me/events"))).toEqual([authentication, "Query"]);
    expect(await operationsDuring(() => actors.anonymous.get(`/users/${ada.uid}`))).toEqual(["BatchGetItem"]);
    expect(await operationsDuring(() => actors.anonymous.get("/health"))).toEqual([]);
    expect(await operationsDuring(() => actors.anonymous.get("/openapi.json"))).toEqual([]);
  });

  test("POST /projects: 3, which reads the owner's team and deleted projects; PATCH /projects/:slug: 2; GET /projects/:slug: 1", async () => {
    const slug = newSlug();
    const create = () => ada.post("/projects", { slug });
    expect(await operationsOfCreation(create)).toEqual([authentication, ...ofOwner, change]);
    const path = `/projects/${slug}`;
    expect(await operationsDuring(() => ada.patch(path, { name: "x" }))).toEqual([authentication, change]);
    expect(await operationsDuring(() => ada.patch(path, {}))).toEqual([authentication]);
    expect(await operationsDuring(() => actors.anonymous.get(path))).toEqual(["BatchGetItem"]);
  });

  test("a creation with an idempotency key: as many as without one; a repetition: 2 for a project, 3 for a token", async () => {
    const [project, token] = [
      { path: "/projects", body: { slug: newSlug() } },
      { path: "/tokens", body: { name: "CI", scopes: ["publish"] } },
    ];
    const send = ({ path, body }: typeof project | typeof token) =>
      perform(ada, { method: "POST", path, body, headers: { "idempotency-key": path } });
    expect(await operationsOfCreation(() => send(project))).toEqual([authentication, ...ofOwner, change]);
    expect(await operationsDuring(() => send(token))).toEqual([authentication, change]);
    expect(await operationsDuring(() => send(project))).toEqual([authentication, "BatchGetItem"]);
    expect(await operationsDuring(() => send(token))).toEqual([authentication, "BatchGetItem", change]);
  });

  test("deleting and restoring a project: 2; unpublishing: 3, since its event names the release", async () => {
    const slug = await newProject(ada);
    await publish(ada, slug, { "index.html": "1" });
    const [path, once] = [`/projects/${slug}`, [authentication, change]];
    expect(await operationsDuring(() => ada.post(`${path}/unpublish`))).toEqual([
      authentication,
      "BatchGetItem",
      change,
    ]);
    expect(await operationsDuring(() => ada.delete(path))).toEqual(once);
    expect(await operationsDuring(() => ada.post(`${path}/restore`))).toEqual(once);
  });

  test("a hand-over: 3 to invite, which finds the other developer; 2 to withdraw or accept", async () => {
    const [slug, grace] = [await newProject(ada), await actors.otherDeveloper()];
    const path = `/projects/${slug}/invitations`;
    const invite = () => ada.post(path, { role: "owner", to: grace.uid });
    expect(await operationsDuring(invite)).toEqual([authentication, "BatchGetItem", change]);
    const { id } = (await invite()).body;
    expect(await operationsDuring(() => ada.delete(`${path}/${id}`))).toEqual([authentication, change]);
    const accept = await offer(ada, slug, grace);
    expect(await operationsDuring(accept)).toEqual([authentication, change]);
  });

  test("a member, for whom nothing more is read: as many as the owner; people of a project: 2 or 3", async () => {
    const [slug, grace] = [await newProject(ada), await actors.developer()];
    const path = `/projects/${slug}`;
    const invite = () => ada.post(`${path}/invitations`, { role: "admin" });
    expect(await operationsDuring(invite)).toEqual([authentication, change]);
    const { id, secret } = (await invite()).body;
    const accept = () => grace.post(`${path}/invitations/${id}/acceptance`, { secret });
    expect(await operationsDuring(() => grace.get(`${path}/invitations/${id}`))).toEqual([
      authentication,
      "BatchGetItem",
    ]);
    expect(await operationsDuring(accept)).toEqual([authentication, change]);
    expect(await operationsDuring(() => grace.get("/me"))).toEqual([authentication]);
    expect(await operationsDuring(() => grace.patch(path, { name: "x" }))).toEqual([authentication, change]);
    expect(await operationsDuring(() => grace.get("/projects"))).toEqual([authentication, "Query", ...projects]);
    expect(await operationsDuring(() => grace.get(`${path}/members`))).toEqual([authentication, "BatchGetItem"]);
    expect(await operationsDuring(() => grace.get(`${path}/events`))).toEqual([
      authentication,
      "Query",
      "BatchGetItem",
    ]);
    expect(await operationsDuring(() => grace.delete(`${path}/members/me`))).toEqual([authentication, change]);
  });

  test("releases that somebody else made live: 1 more than own ones, for all names together", async () => {
    const [slug, grace] = [await newProject(ada), await actors.developer()];
    await addMember(ada, slug, grace, "publisher");
    const path = `/projects/${slug}/releases`;
    await publish(grace, slug, { "index.html": "1" });
    const id = await publish(grace, slug, { "index.html": "2" });
    expect(await operationsDuring(() => ada.get(path))).toEqual([authentication, "Query", "BatchGetItem"]);
    expect(await operationsDuring(() => grace.get(path))).toEqual([authentication, "Query"]);
    const one = [authentication, "BatchGetItem"];
    expect(await operationsDuring(() => ada.get(`${path}/${id}`))).toEqual([...one, "BatchGetItem"]);
    expect(await operationsDuring(() => grace.get(`${path}/${id}`))).toEqual(one);
  });

  test("a page of GET /me/export: 2, or 5 for a project with its releases and profiles", async () => {
    const grace = await actors.developer();
    await newProject(grace);
    const next = async (cursor: string) =>
      (await grace.get(`/me/export${cursor && `?cursor=${cursor}`}`)).body.next_cursor;
    const [list, item, project] = [
      [authentication, "Query"],
      [authentication, "BatchGetItem"],
      [authentication, "Query", "BatchGetItem", "Query", "Query"],
    ];
    let cursor = "";
    for (const expected of [list, list, list, list, list, item, list, item, item, project, list, list])
      expect(await operationsDuring(async () => (cursor = await next(cursor)))).toEqual(expected);
    expect(cursor).toBeNull();
  });

  test("GET /projects: 4; by a narrowed token, which names them, 3", async () => {
    const token = await ada.token({ projects: [await newProject(ada)] });
    await token.get("/me");
    expect(await operationsDuring(() => ada.get("/projects"))).toEqual([authentication, "Query", ...projects]);
    expect(await operationsDuring(() => token.get("/projects"))).toEqual([authentication, ...projects]);
  });

  test("a release: 4 to open, 3 to find open or publish it; 2 to find it live, to read it or to upload to it", async () => {
    const slug = await newProject(ada);
    const base = `/projects/${slug}/releases`;
    const files = manifestOf({ "index.html": "1" });
    const open = () => ada.post(base, { files });
    expect(await operationsDuring(open)).toEqual([authentication, "BatchGetItem", change, change]);
    expect(await operationsDuring(open)).toEqual([authentication, "BatchGetItem", "BatchGetItem"]);
    const { id } = (await openRelease(ada, slug, { "index.html": "1" })).body.release;
    const uploadUrls = () => ada.post(`${base}/${id}/uploads`, { sha256: files.map(({ sha256 }) => sha256) });
    expect(await operationsDuring(uploadUrls)).toEqual([authentication, "BatchGetItem"]);
    const publish = () => ada.post(`${base}/${id}/publish`);
    expect(await operationsDuring(publish)).toEqual([authentication, "BatchGetItem", change]);
    expect(await operationsDuring(publish)).toEqual([authentication, "BatchGetItem"]);
    expect(await operationsDuring(open)).toEqual([authentication, "BatchGetItem"]);
    expect(await operationsDuring(() => ada.get(`${base}/${id}`))).toEqual([authentication, "BatchGetItem"]);
    expect(await operationsDuring(() => ada.get(base))).toEqual([authentication, "Query"]);
    const visit = () => actors.anonymous.get(`/projects/${slug}/files/index.html`);
    expect(await operationsDuring(visit)).toEqual(["BatchGetItem"]);
  });

  test("a withdrawal: 4, and 2 if it was withdrawn; a roll-back checks what is withdrawn in its 3", async () => {
    const slug = await newProject(ada);
    const [first, second] = [await publish(ada, slug, { "a.txt": "1" }), await publish(ada, slug, { "a.txt": "2" })];
    const post = (id: string, act: string) =>
      operationsDuring(() => ada.post(`/projects/${slug}/releases/${id}/${act}`));
    expect(await post(first, "publish")).toEqual([authentication, "BatchGetItem", change]);
    expect(await post(second, "withdraw")).toEqual([authentication, "BatchGetItem", "Query", change]);
    expect(await post(second, "withdraw")).toEqual([authentication, "BatchGetItem"]);
  });

  test("a refused credential: 1 at most, none if it cannot be one", async () => {
    const token = await ada.token();
    await ada.delete(`/tokens/${token.id}`);
    expect(await operationsDuring(() => token.get("/me"))).toEqual([authentication]);
    expect(await operationsDuring(() => actors.bearer("pat_mistyped").get("/me"))).toEqual([]);
    expect(await operationsDuring(() => actors.bearer("not.a.token").get("/me"))).toEqual([]);
    expect(await operationsDuring(() => actors.anonymous.get("/me"))).toEqual([]);
  });
});

/** Units that DynamoDB charges: read units of strongly consistent reads, write units, doubled in a transaction. */
async function unitsDuring(action: () => Promise<unknown>): Promise<{ read: number; write: number }> {
  return capacityUnits(await service.recorder.during(action));
}

/**
 * DynamoDB Local charges differently from DynamoDB: nothing for an item that does not exist, and for a transaction the
 * sum of its items' sizes instead of each item's size (Developer Guide, "Read and write operations").
 */
const describeCharges = process.env["DYNAMODB_ENDPOINT"] === undefined ? describe : describe.skip;

describeCharges("the capacity units of", () => {
  test("authentication: 1 read by ID token, 2 by personal access token, its account and itself; /me 1 more", async () => {
    const token = await ada.token();
    await token.get("/me");
    expect(await unitsDuring(() => ada.delete("/tokens/none"))).toEqual({ read: 1, write: 0 });
    expect(await unitsDuring(() => ada.patch("/me", {}))).toEqual({ read: 2, write: 0 });
    expect(await unitsDuring(() => ada.get("/me"))).toEqual({ read: 2, write: 0 });
    expect(await unitsDuring(() => token.get("/me"))).toEqual({ read: 3, write: 0 });
    expect(await unitsDuring(() => actors.anonymous.get(`/users/${ada.uid}`))).toEqual({ read: 1, write: 0 });
  });

  test("a sign-in that changes nothing: 1 read; a first one as developer: 8 writes, account, two events and a check", async () => {
    const stranger = await actors.stranger();
    const signIn = () => stranger.post("/auth/session", { role: "dev" });
    expect(await unitsDuring(signIn)).toEqual({ read: 1, write: 8 });
    expect(await unitsDuring(signIn)).toEqual({ read: 1, write: 0 });
  });

  test("a new token: 10 writes, account, token, event and two notices; its revocation: 10, for one notice goes; editing the profile: 1, and 2 reads", async () => {
    const grace = await actors.developer();
    const { id } = await grace.token();
    const request = { name: "CI", scopes: ["publish"] };
    expect(await unitsDuring(() => grace.post("/tokens", request))).toEqual({ read: 1, write: 10 });
    expect(await unitsDuring(() => grace.delete(`/tokens/${id}`))).toEqual({ read: 1, write: 10 });
    expect(await unitsDuring(() => grace.patch("/me", { bio: "x" }))).toEqual({ read: 2, write: 1 });
  });

  test("the first use of a token: 6 writes, its note, an event and a notice; the next within the hour: none", async () => {
    const token = await ada.token();
    expect(await unitsDuring(() => token.get("/me"))).toEqual({ read: 3, write: 6 });
    expect(await unitsDuring(() => token.get("/me"))).toEqual({ read: 3, write: 0 });
  });
});
