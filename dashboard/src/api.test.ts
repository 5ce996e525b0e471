import { afterEach, describe, expect, jest, test } from "@jest/globals";
import type { Client } from "../../contract/client.ts";
import { Api } from "./api.ts";
import { messageOf } from "./messages.ts";
import { allProjects } from "./projects.ts";
import type { Session } from "./session.ts";

afterEach(() => void jest.restoreAllMocks());

test.each([
  [413, "The paths of these files are too long"],
  [429, "Too many requests. Wait a few seconds"],
  [503, "The service has trouble (status 503). Try again in a minute."],
])("a person reads what to do if API Gateway itself refuses a request with %i", async (status, sentence) => {
  jest.spyOn(globalThis, "fetch").mockImplementation(async () => Response.json({ message: "refused" }, { status }));
  const session: Pick<Session, "idToken"> = { idToken: async () => "id" };
  const api = new Api("https://api.svc.example", session as Session);
  const refused = api.call("GET /invitations").catch(messageOf);
  expect(await refused).toContain(sentence);
});

test("an ID token that no request can carry is not sent, and the person reads why", async () => {
  const fetched = jest.spyOn(globalThis, "fetch").mockImplementation(async () => Response.json({ invitations: [] }));
  const ofLength = (length: number) => {
    const session: Pick<Session, "idToken"> = { idToken: async () => "x".repeat(length) };
    return new Api("https://api.svc.example", session as Session).call("GET /invitations").catch(messageOf);
  };
  expect(await ofLength(9_001)).toMatch(/^Your sign-in is too large to be sent, .* groups/);
  expect(fetched).not.toHaveBeenCalled();
  await ofLength(9_000);
  expect(fetched).toHaveBeenCalledTimes(1);
});

test("who is suspended reads why, once the session is refused", async () => {
  const suspension = { at: "2026-01-01T00:00:00.000Z", reason: "illegal_content" };
  const { api, requests } = apiWith([problem("account_suspended", 403), { status: 200, body: { suspension } }]);
  expect(await api.signIn().catch(messageOf)).toMatch(/^The operator has suspended your account: illegal content\. /);
  expect(requests.map(({ method, url }) => `${method} ${new URL(url).pathname}`)).toEqual([
    "POST /auth/session",
    "GET /me",
  ]);
});

interface Answer {
  readonly status: number;
  readonly body?: object;
  readonly etag?: string;
}

const problem = (code: string, status = 401): Answer => ({ status, body: { code, detail: code } });

/** An API that responds with these, one after the other; the session has an ID token of each kind. */
function apiWith(answers: readonly Answer[], { declines = false } = {}) {
  const requests: Request[] = [];
  jest.spyOn(globalThis, "fetch").mockImplementation(async (url, options) => {
    const { status, body, etag } = answers[requests.length] ?? { status: 204 };
    requests.push(new Request(url as string, options));
    return new Response(body && JSON.stringify(body), { status, ...(etag && { headers: { etag } }) });
  });
  const session: Pick<Session, "idToken" | "freshIdToken" | "recentIdToken" | "unaskedIdToken"> = {
    idToken: async () => "usual",
    unaskedIdToken: async () => undefined,
    freshIdToken: async () => "fresh",
    recentIdToken: async () => (declines ? undefined : "recent"),
  };
  const api = new Api("https://api.svc.example", session as Session);
  const sent = (name: string) => requests.map(({ headers }) => headers.get(name));
  return { api, requests, sent };
}

const create = (api: Api) =>
  api
    .call("POST /projects", { creates: true, body: { slug: "game", name: "Game" } })
    .catch((error: Error) => error.message);

test.each([
  ["id_token_expired", "fresh"],
  ["id_token_invalid", "fresh"],
  ["recent_sign_in_required", "recent"],
])("what is refused with %s is sent once more, the same, with a %s ID token", async (code, idToken) => {
  const { api, requests, sent } = apiWith([problem(code), { status: 201, body: { slug: "game" } }]);
  expect(await create(api)).toEqual({ slug: "game" });
  expect(sent("authorization")).toEqual(["Bearer usual", `Bearer ${idToken}`]);
  const keys = sent("idempotency-key");
  expect(keys[1]).toBe(keys[0]);
  expect(keys[0]).not.toBeNull();
  expect(await Promise.all(requests.map((request) => request.json()))).toEqual(
    Array(2).fill({ slug: "game", name: "Game" }),
  );
});

test.each([
  ["is refused again", [problem("id_token_invalid"), problem("account_suspended", 403)], "account_suspended", 2],
  ["is refused for another reason", [problem("slug_taken", 409)], "slug_taken", 1],
])("a call that %s fails with that", async (_, answers, code, count) => {
  const { api, requests } = apiWith(answers);
  expect(await create(api)).toBe(code);
  expect(requests).toHaveLength(count);
});

test.each([
  ['max_age="900"', { max_age: "900" }],
  ['max_age="600", acr_values="phr urn:a:b"', { max_age: "600", acr_values: "phr urn:a:b" }],
])("a challenge with %s is what the sign-in is asked for", async (demanded, expected) => {
  const challenge = `Bearer realm="svc", error="insufficient_user_authentication", ${demanded}, resource_metadata="x"`;
  const refusal = { code: "recent_sign_in_required", detail: "x" };
  jest
    .spyOn(globalThis, "fetch")
    .mockImplementationOnce(async () =>
      Response.json(refusal, { status: 401, headers: { "www-authenticate": challenge } }),
    );
  const demands: unknown[] = [];
  const recentIdToken = async (demand: unknown) => void demands.push(demand);
  const session = { idToken: async () => "usual", recentIdToken } as unknown as Session;
  expect(await create(new Api("https://api.svc.example", session))).toBe("x");
  expect(demands).toEqual([expected]);
});

test("who does not sign in for a call reads what it needs", async () => {
  const { api, requests } = apiWith([problem("recent_sign_in_required")], { declines: true });
  expect(await create(api)).toBe("recent_sign_in_required");
  expect(requests).toHaveLength(1);
});

test("all projects are read, page by page, each of the same state", async () => {
  const page = (slug: string, next: string | null) => ({
    status: 200,
    body: { projects: [{ slug }], next_cursor: next },
  });
  const { api, requests } = apiWith([page("a", "2"), page("b", "3"), page("c", null)]);
  expect((await allProjects(api, "deleted")).map(({ slug }) => slug)).toEqual(["a", "b", "c"]);
  expect(requests.map(({ url }) => new URL(url).search)).toEqual([
    "?state=deleted",
    "?state=deleted&cursor=2",
    "?state=deleted&cursor=3",
  ]);
});

describe("what is read before its view is there", () => {
  const list = (slug: string) => ({ status: 200, body: { projects: [{ slug }], next_cursor: null } });
  const read = async (client: Client) => (await allProjects(client)).map(({ slug }) => slug);

  test("is taken by the view's first same request, once", async () => {
    const { api, requests } = apiWith([list("early"), list("deleted"), list("later")]);
    void read(api.early());
    expect(await read(api)).toEqual(["early"]);
    expect((await allProjects(api, "deleted")).map(({ slug }) => slug)).toEqual(["deleted"]);
    expect(await read(api)).toEqual(["later"]);
    expect(requests).toHaveLength(3);
  });

  test.each([
    ["is refused", [problem("account_missing"), list("later")], async () => undefined],
    [
      "is of before a change",
      [list("early"), { status: 204 }, list("later")],
      async (api: Api) => {
        await api.call("DELETE /tokens/:id", { params: { id: "1" }, empty: true });
      },
    ],
    [
      "is of before the view looks for changes",
      [list("early"), list("later")],
      async (api: Api) => {
        await api.unasked(false);
      },
    ],
  ])("is read anew if it %s", async (_, answers, happen) => {
    const { api } = apiWith(answers);
    await read(api.early()).catch(() => undefined);
    await happen(api);
    expect(await read(api)).toEqual(["later"]);
  });
});

test("a person's first creation makes them a developer, and accepting an invitation does not", async () => {
  const account = (role: string) => ({ status: 200, body: { user: { role }, developer: null } });
  const { api, requests } = apiWith([
    account("user"),
    { status: 200, body: {} },
    account("dev"),
    { status: 201, body: {} },
  ]);
  await api.signIn();
  const params = { slug: "game", invitation: "id" };
  await api.call("POST /projects/:slug/invitations/:invitation/acceptance", { params, body: {} });
  await create(api);
  expect(requests.map(({ method, url }) => `${method} ${new URL(url).pathname}`)).toEqual([
    "POST /auth/session",
    "POST /projects/game/invitations/id/acceptance",
    "POST /auth/session",
    "POST /projects",
  ]);
});

test("whom the operator has not approved yet reads so, and is asked for again with the next creation", async () => {
  const account = (role: string) => ({ status: 200, body: { user: { role }, developer: null } });
  const { api, requests } = apiWith([
    ...[account("user"), problem("developer_approval_pending", 403)],
    ...[account("dev"), { status: 201, body: { slug: "game" } }],
  ]);
  await api.signIn();
  const refused = api.call("POST /projects", { creates: true, body: { slug: "game" } }).catch(messageOf);
  expect(await refused).toContain("The operator of this service approves developers.");
  expect(await create(api)).toEqual({ slug: "game" });
  expect(requests.map(({ url }) => new URL(url).pathname)).toEqual([
    ...["/auth/session", "/auth/session", "/auth/session", "/projects"],
  ]);
});
