import { randomUUID } from "node:crypto";
import { afterEach, describe, expect, test } from "@jest/globals";
import { accountKey, keys } from "../../../functions/table/keys.ts";
import { startRelay } from "../../support/network/relay.ts";
import { type Actor, actorsOf, type Developer } from "../../support/service/actors.ts";
import { type Operation, operations, perform, withProject } from "../../support/service/operations.ts";
import { overtakenBy } from "../../support/service/overtaken.ts";
import { handOver, manifestOf, newProject, newSlug, publish, sha256 } from "../../support/service/steps.ts";
import { useRecordedService, useServers } from "../../support/service/suite.ts";
import { copyToken, itemsOf, removeItem, setAttribute } from "../../support/table/stored.ts";

const service = useRecordedService();
const actors = actorsOf(service);
const keep = useServers();
const overtaken = overtakenBy(service);

afterEach(() => service.recorder.plan(undefined));

/** Sends an operation with an idempotency key. */
function withKey(caller: Actor, key: string, operation: Operation) {
  return perform(caller, { ...operation, headers: { "idempotency-key": key } });
}

const projectOf = (slug: string): Operation => ({ method: "POST", path: "/projects", body: { slug } });
const newToken: Operation = { method: "POST", path: "/tokens", body: { name: "CI", scopes: ["publish"] } };

const partitionOf = ({ uid }: Developer) => keys.account(accountKey(service.issuer, uid)).PK;
const creationsOf = async (person: Developer) =>
  (await itemsOf(service, partitionOf(person))).filter(({ SK }) => String(SK).startsWith("CREATION#"));

/** The tokens of a person by their status. */
async function tokensOf(person: Developer, status: string): Promise<string[]> {
  const { body } = await person.get("/tokens");
  return body.tokens.filter((token: { status: string }) => token.status === status).map(({ id }: { id: string }) => id);
}

const gone = { status: 409, body: { code: "idempotency_result_gone" } };

describe("a request that is repeated with its idempotency key", () => {
  test("creates one project, whose response is the same, with the key in quotes or without", async () => {
    const ada = await actors.developer();
    const [key, project] = [randomUUID(), projectOf(newSlug())];
    const first = await withKey(ada, `"${key}"`, project);
    expect(first.status).toBe(201);
    const second = await withKey(ada, key, project);
    expect(second).toMatchObject({ status: 201, body: first.body });
    expect(second.headers.get("location")).toBe(first.headers.get("location"));
    expect((await ada.get("/projects")).body.projects).toHaveLength(1);
    expect(await withKey(ada, randomUUID(), project)).toMatchObject({ status: 409, body: { code: "slug_taken" } });
  });

  test("of a project that was handed over or deleted since then creates none", async () => {
    const ada = await actors.developer();
    const grace = await actors.otherDeveloper();
    const [key, slug] = [randomUUID(), newSlug()];
    await withKey(ada, key, projectOf(slug));
    await handOver(ada, slug, grace);
    expect(await withKey(ada, key, projectOf(slug))).toMatchObject(gone);
    const [other, deleted] = [randomUUID(), newSlug()];
    await withKey(ada, other, projectOf(deleted));
    await ada.delete(`/projects/${deleted}`);
    expect(await withKey(ada, other, projectOf(deleted))).toMatchObject(gone);
  });

  test("revokes the token that nobody received, and creates another in the same transaction", async () => {
    const ada = await actors.developer();
    const key = randomUUID();
    const first = await withKey(ada, key, newToken);
    const second = await withKey(ada, key, newToken);
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(await tokensOf(ada, "active")).toEqual([second.body.id]);
    expect(await tokensOf(ada, "revoked")).toEqual([first.body.id]);
    expect(await actors.bearer(first.body.token).get("/me")).toMatchObject({ status: 401 });
    expect(await actors.bearer(second.body.token).get("/me")).toMatchObject({ status: 200 });
    const { body } = await ada.get("/me/events");
    const events = body.events.filter(({ type }: { type: string }) => /^token_(created|revoked)$/.test(type));
    expect(events.map(({ type, token_id }: Record<string, string>) => [type, token_id]).toSorted()).toEqual(
      [
        ["token_created", first.body.id],
        ["token_revoked", first.body.id],
        ["token_created", second.body.id],
      ].toSorted(),
    );
  });

  test("gets no other token once the first was used or has ended, and is told its id", async () => {
    const ada = await actors.developer();
    const key = randomUUID();
    const { body: used } = await withKey(ada, key, newToken);
    await actors.bearer(used.token).get("/me");
    const refused = await withKey(ada, key, newToken);
    expect(refused).toMatchObject(gone);
    expect(refused.body.detail).toContain(used.id);
    const other = randomUUID();
    const { body: ended } = await withKey(ada, other, newToken);
    await ada.delete(`/tokens/${ended.id}`);
    expect(await withKey(ada, other, newToken)).toMatchObject(gone);
    expect(await tokensOf(ada, "active")).toEqual([used.id]);
  });

  test("gets its token if the account has 50 with the one that nobody received, and no more", async () => {
    const ada = await actors.developer();
    const key = randomUUID();
    const { body } = await withKey(ada, key, newToken);
    await copyToken(service, accountKey(service.issuer, ada.uid), body.id, 50);
    expect(await withKey(ada, key, newToken)).toMatchObject({ status: 201 });
    expect(await tokensOf(ada, "active")).toHaveLength(50);
    expect(await withKey(ada, randomUUID(), newToken)).toMatchObject({
      status: 409,
      body: { code: "token_limit_reached" },
    });
  });

  test("replaces a token once: the replacement that nobody received is revoked", async () => {
    const ada = await actors.developer();
    const old = await ada.token();
    const [key, rotation] = [randomUUID(), { method: "POST", path: `/tokens/${old.id}/replacement`, body: {} }];
    const first = await withKey(ada, key, rotation);
    const second = await withKey(ada, key, rotation);
    expect(second).toMatchObject({ status: 201, body: { replaces: first.body.replaces } });
    expect(second.body.expires_at).toBe(first.body.expires_at);
    expect((await tokensOf(ada, "active")).toSorted()).toEqual([old.id, second.body.id].toSorted());
    expect(await actors.bearer(first.body.token).get("/me")).toMatchObject({ status: 401 });
  });

  test("gets the release that it opened, also when that went live and another followed", async () => {
    const { slug, ...ada } = await withProject(await actors.developer());
    const folder = { "index.html": "1" };
    const [key, path] = [randomUUID(), `/projects/${slug}/releases`];
    const opening = { method: "POST", path, body: { files: manifestOf(folder) } };
    const first = await withKey(ada, key, opening);
    const same = { ...first.body, first_uploads: null };
    expect(await withKey(ada, key, opening)).toMatchObject({ status: 201, body: same });
    expect(first.body.missing).toEqual([sha256("1")]);
    await publish(ada, slug, folder);
    await publish(ada, slug, { "index.html": "2" });
    const repeated = await withKey(ada, key, opening);
    expect(repeated).toMatchObject({ status: 201, body: { release: { id: first.body.release.id }, missing: [] } });
    expect((await ada.get(path)).body.releases).toHaveLength(2);
    await ada.post(`${path}/${first.body.release.id}/withdraw`);
    expect(await withKey(ada, key, opening)).toMatchObject({ status: 409, body: { code: "release_withdrawn" } });
    await removeItem(service, keys.release(slug, first.body.release.id));
    expect(await withKey(ada, key, opening)).toMatchObject(gone);
  });

  test("approves a device once more, if without a key no machine waits any more", async () => {
    const ada = await withProject(await actors.developer());
    const [key, approval] = [randomUUID(), await operations.answerDeviceRequest(ada)];
    expect(await withKey(ada, key, approval)).toMatchObject({ status: 204 });
    expect(await withKey(ada, key, approval)).toMatchObject({ status: 204 });
    expect(await withKey(ada, randomUUID(), approval)).toMatchObject({ status: 404 });
  });

  test("after a day creates something again", async () => {
    const ada = await actors.developer();
    const key = randomUUID();
    const first = await withKey(ada, key, newToken);
    const [record] = await creationsOf(ada);
    const inADay = Date.now() / 1_000 + 86_400;
    expect(Math.abs(Number(record?.["ttl"]) - inADay)).toBeLessThan(30);
    await setAttribute(service, { PK: String(record?.["PK"]), SK: String(record?.["SK"]) }, "ttl", 1);
    const second = await withKey(ada, key, newToken);
    expect((await tokensOf(ada, "active")).toSorted()).toEqual([first.body.id, second.body.id].toSorted());
    expect(Number((await creationsOf(ada))[0]?.["ttl"])).toBeGreaterThan(Date.now() / 1_000);
  });
});

describe("an idempotency key", () => {
  test("that was sent with another body, path or route is refused, and nothing is created", async () => {
    const ada = await actors.developer();
    const [key, { id }, { id: other }] = [randomUUID(), await ada.token(), await ada.token()];
    const rotation = (token: string) => ({ method: "POST", path: `/tokens/${token}/replacement`, body: {} });
    await withKey(ada, key, rotation(id));
    const before = await itemsOf(service, partitionOf(ada));
    const others = [rotation(other), { ...rotation(id), body: { overlap_hours: 1 } }, newToken, projectOf(newSlug())];
    for (const operation of others)
      expect(await withKey(ada, key, operation)).toMatchObject({
        status: 422,
        body: { code: "idempotency_key_reused" },
      });
    expect(await itemsOf(service, partitionOf(ada))).toEqual(before);
  });

  test("belongs to an account, whichever of its credentials it comes with", async () => {
    const [ada, grace] = [await actors.developer(), await actors.otherDeveloper()];
    const [key, project] = [randomUUID(), projectOf(newSlug())];
    const token = await ada.token({ scopes: ["projects"] });
    expect(await withKey(token, key, project)).toMatchObject({ status: 201 });
    expect(await withKey(ada, key, project)).toMatchObject({ status: 201 });
    expect(await withKey(grace, key, project)).toMatchObject({ status: 409, body: { code: "slug_taken" } });
    const narrowed = await ada.token({ scopes: ["projects"], projects: [await newProject(ada)] });
    expect(await withKey(narrowed, key, project)).toMatchObject({
      status: 403,
      body: { code: "project_not_in_token" },
    });
  });

  test("stays free if the request was refused", async () => {
    const ada = await actors.developer();
    const [key, taken] = [randomUUID(), await newProject(await actors.otherDeveloper())];
    expect(await withKey(ada, key, projectOf(taken))).toMatchObject({ status: 409 });
    expect(await withKey(ada, key, projectOf(newSlug()))).toMatchObject({ status: 201 });
  });

  test("is stored as a digest, beside no raw token, and goes with the account", async () => {
    const ada = await actors.developer();
    const key = randomUUID();
    const { body } = await withKey(ada, key, newToken);
    const [record, ...more] = await creationsOf(ada);
    expect(more).toEqual([]);
    expect(record).toEqual({
      PK: partitionOf(ada),
      SK: expect.stringMatching(/^CREATION#[0-9A-Za-z]{22}$/),
      fingerprint: expect.stringMatching(/^[\w+/]{43}=$/),
      created: body.id,
      ttl: expect.any(Number),
    });
    expect(JSON.stringify(await itemsOf(service, partitionOf(ada)))).not.toContain(key);
    await ada.delete("/me");
    expect(await creationsOf(ada)).toEqual([]);
  });
});

describe("of two requests with one key at the same time", () => {
  test("one creates a project; the other is told so, and gets it when it is sent again", async () => {
    const ada = await actors.developer();
    const [key, project] = [randomUUID(), projectOf(newSlug())];
    const slower = await overtaken(
      () => withKey(ada, key, project),
      () => withKey(ada, key, project),
    );
    expect(slower).toMatchObject({ status: 409, body: { code: "idempotency_key_in_use" } });
    expect(await withKey(ada, key, project)).toMatchObject({ status: 201 });
  });

  test("one creates a token, which the other does not revoke, even if both repeat a third", async () => {
    const ada = await actors.developer();
    for (const repeats of [false, true]) {
      const key = randomUUID();
      if (repeats) await withKey(ada, key, newToken);
      let faster: Awaited<ReturnType<typeof withKey>> | undefined;
      const slower = await overtaken(
        () => withKey(ada, key, newToken),
        async () => {
          faster = await withKey(ada, key, newToken);
        },
      );
      expect(slower).toMatchObject({ status: 409, body: { code: "idempotency_key_in_use" } });
      expect(faster?.status).toBe(201);
      expect(await actors.bearer(faster?.body.token).get("/me")).toMatchObject({ status: 200 });
    }
    expect(await tokensOf(ada, "active")).toHaveLength(2);
  });

  test("one opens a release and one approves a device", async () => {
    const ada = await withProject(await actors.developer());
    for (const operation of [await operations.createRelease(ada), await operations.answerDeviceRequest(ada)]) {
      const key = randomUUID();
      const slower = await overtaken(
        () => withKey(ada, key, operation),
        () => withKey(ada, key, operation),
      );
      expect(slower).toMatchObject({ status: 409, body: { code: "idempotency_key_in_use" } });
    }
  });

  test("a token's first use between the read and the write of a repetition keeps it", async () => {
    const ada = await actors.developer();
    const key = randomUUID();
    const { body } = await withKey(ada, key, newToken);
    const token = actors.bearer(body.token);
    const repeated = await overtaken(
      () => withKey(ada, key, newToken),
      () => token.get("/me"),
    );
    expect(repeated).toMatchObject(gone);
    expect(await token.get("/me")).toMatchObject({ status: 200 });
  });
});

test("a response that the network loses after the write is repeated by the same request", async () => {
  const ada = await actors.developer();
  const relay = await keep(startRelay(service.api, (_, step) => (step === "response" ? "cut" : undefined)));
  const send = (to: string, key: string, { path, body }: Operation) =>
    fetch(to + path, {
      method: "POST",
      headers: {
        authorization: `Bearer ${ada.credential}`,
        "content-type": "application/json",
        "idempotency-key": key,
      },
      body: JSON.stringify(body),
    });
  for (const operation of [newToken, projectOf(newSlug())]) {
    const key = randomUUID();
    await expect(send(relay.origin, key, operation)).rejects.toThrow("fetch failed");
    expect(await send(service.api, key, operation)).toMatchObject({ status: 201 });
  }
  expect(await tokensOf(ada, "active")).toHaveLength(1);
  expect((await ada.get("/projects")).body.projects).toHaveLength(1);
});
