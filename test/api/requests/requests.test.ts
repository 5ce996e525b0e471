import { beforeAll, describe, expect, test } from "@jest/globals";
import { eventually } from "../../support/eventually.ts";
import { type RouteName, routes } from "../../support/routes.ts";
import { actorsOf, type Person } from "../../support/service/actors.ts";
import { operations, perform, withProject } from "../../support/service/operations.ts";
import { useService } from "../../support/service/suite.ts";
import { time } from "../../support/wire-time.ts";

const service = useService();
const actors = actorsOf(service);
let ada: Person;

beforeAll(async () => {
  ada = await actors.user({ name: "Ada" });
});

const json = { "content-type": "application/json" };

describe("the Authorization header", () => {
  test("is the only place for a credential", async () => {
    const { credential } = ada;
    const elsewhere = [
      actors.anonymous.get(`/me?access_token=${credential}`),
      actors.anonymous.send("GET", "/me", {
        headers: { cookie: `access_token=${credential}`, "x-api-key": credential },
      }),
      actors.anonymous.post("/auth/session", { access_token: credential }),
    ];
    for (const { status, body } of await Promise.all(elsewhere))
      expect({ status, code: body.code }).toEqual({ status: 401, code: "credential_missing" });
  });
});

describe("a request body", () => {
  const patch = (headers: Record<string, string>, body: string | Uint8Array<ArrayBuffer>) =>
    ada.send("PATCH", "/me", { headers, body });

  const refused: [string, Record<string, string>, string | Uint8Array<ArrayBuffer>, number, string][] = [
    ["that is no JSON", json, "{", 400, "malformed_json"],
    ["of another type", { "content-type": "text/plain" }, "{}", 415, "unsupported_media_type"],
    ["of 512 KiB and a byte", json, "{}".padEnd(524_289), 413, "payload_too_large"],
    ["with a __proto__", json, '{"__proto__": {"role": "dev"}}', 422, "validation_failed"],
    ["nested 50,000 deep", json, `${'{"name":'.repeat(50_000)}1${"}".repeat(50_000)}`, 422, "validation_failed"],
  ];
  test.each(refused)("%s is refused and changes nothing", async (_, headers, body, status, code) => {
    const response = await patch(headers, body);
    expect({ status: response.status, code: response.body.code }).toEqual({ status, code });
    expect((await ada.get("/me")).body.user).toMatchObject({ name: "Ada", role: "user" });
  });

  test("is not parsed before the caller is authenticated", async () => {
    const response = await actors.anonymous.send("PATCH", "/me", { headers: json, body: "{" });
    expect(response).toMatchObject({ status: 401, body: { code: "credential_missing" } });
  });

  test("names every invalid place", async () => {
    const { body } = await ada.patch("/me", { name: "", avatar: "x", role: "dev" });
    expect(body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(["/name", "/avatar", "/role"]);
  });
});

describe("the service itself", () => {
  test("responds to GET /health of anybody", async () => {
    const { status, body, headers } = await actors.anonymous.get("/health");
    expect({ status, body }).toEqual({ status: 200, body: { status: "ok", version: headers.get("svc-version") } });
  });

  test("responds to an unknown path with 404", async () => {
    expect(await actors.anonymous.get("/nothing")).toMatchObject({ status: 404, body: { message: "Not Found" } });
  });
});

describe("Location of what was created", () => {
  const names = (Object.keys(routes) as RouteName[]).filter((name) => 201 in routes[name].responses);

  test.each(names.filter((name) => name !== "createSession"))("by %s leads to it", async (name) => {
    const owner = await withProject(await actors.developer());
    const { status, headers, body } = await perform(owner, await operations[name](owner));
    expect(status).toBe(201);
    const found = await owner.get(headers.get("location") ?? "");
    const { id, slug } = body.release ?? body.profile ?? body.webhook ?? body;
    const created = id ? { id } : { slug };
    // A webhook is shown in the list of its project alone.
    const shown = body.profile ? { profile: created } : body.webhook ? { webhooks: [created] } : created;
    expect(found).toMatchObject({ status: 200, body: shown });
  });

  test("by createSession leads to the account", async () => {
    const { status, headers } = await (await actors.stranger()).post("/auth/session");
    expect({ status, location: headers.get("location") }).toEqual({ status: 201, location: "/me" });
  });
});

test("the log says why an ID token was refused, in one line without its values", async () => {
  const idToken = await service.idToken({ sub: "nobody-may-log-this", aud: "nor-this" });
  expect((await actors.bearer(idToken).get("/me")).status).toBe(401);
  const logged = /^.*An ID token was refused.*IDP_AUDIENCE.*\n/m;
  await eventually(() => expect(service.output()).toMatch(logged));
  expect(JSON.parse(logged.exec(service.output())?.[0] ?? "")).toEqual({
    timestamp: time,
    level: "warn",
    message: "An ID token was refused",
    request_id: expect.stringMatching(/^[\w-]{36}$/),
    route: "GET /me",
    code: "id_token_invalid",
    reason: "aud: IDP_AUDIENCE is not in it",
  });
  expect(service.output()).not.toMatch(/nobody-may-log-this|nor-this/);
});
