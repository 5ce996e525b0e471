import { afterEach, expect, jest, test } from "@jest/globals";
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

test("if the connection is lost in the middle of a response, the person can try again, which creates nothing twice", async () => {
  const keys: unknown[] = [];
  const broken = new ReadableStream({ start: (body) => body.error(new TypeError("lost")) });
  jest.spyOn(globalThis, "fetch").mockImplementation(async (_, options) => {
    keys.push(new Headers(options?.headers).get("idempotency-key"));
    return keys.length === 1 ? new Response(broken, { status: 201 }) : Response.json({}, { status: 201 });
  });
  const api = new Api("https://api.svc.example", { idToken: async () => "id" } as unknown as Session);
  const create = () => api.call("POST /projects", { creates: true, body: { slug: "game", name: "Game" } });
  expect(await create().catch(messageOf)).toContain("The service cannot be reached.");
  expect(await create()).toEqual({});
  await create();
  expect(keys[1]).toBe(keys[0]);
  expect(keys[2]).not.toBe(keys[1]);
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
  const session: Pick<Session, "idToken" | "freshIdToken" | "recentIdToken"> = {
    idToken: async () => "usual",
    freshIdToken: async () => "fresh",
    recentIdToken: async () => (declines ? undefined : "recent"),
  };
  const api = new Api("https://api.svc.example", session as Session);
  const sent = (name: string) => requests.map(({ headers }) => headers.get(name));
  return { api, requests, sent };
}

test("a request has its parameters and what is known of its query, and a change the ETag that was read", async () => {
  const { api, requests, sent } = apiWith([{ status: 200, body: { tokens: [] }, etag: '"1"' }, { status: 204 }]);
  const query = { state: "active", cursor: undefined, token: "a&b" };
  const { body, etag } = await api.read("GET /projects/:slug/previews", { params: { slug: "a/b" }, query });
  expect({ body, etag }).toEqual({ body: { tokens: [] }, etag: '"1"' });
  const edit = { params: { slug: "a" }, body: { name: "A" }, ifMatch: etag } as const;
  expect(await api.call("PATCH /projects/:slug", edit)).toBeUndefined();
  await api.call("PATCH /projects/:slug", { ...edit, ifMatch: null });
  expect(requests.map(({ method, url }) => `${method} ${url.replace("https://api.svc.example", "")}`)).toEqual([
    "GET /projects/a%2Fb/previews?state=active&token=a%26b",
    "PATCH /projects/a",
    "PATCH /projects/a",
  ]);
  expect(sent("if-match")).toEqual([null, '"1"', null]);
  expect(sent("content-type")).toEqual([null, "application/json", "application/json"]);
});

const create = (api: Api, slug = "game", name = "Game") =>
  api.call("POST /projects", { creates: true, body: { slug, name } }).catch((error: Error) => error.message);

test("only the same creation has the same key again, until its result is known or gone", async () => {
  const trouble = { status: 503 };
  const { api, sent } = apiWith([trouble, trouble, trouble, problem("idempotency_result_gone", 410), trouble]);
  await create(api);
  await create(api, "game", "Another name");
  await create(api);
  await create(api);
  await create(api);
  const [first, other, again, gone, anew] = sent("idempotency-key");
  expect([again, gone]).toEqual([first, first]);
  expect(new Set([first, other, anew]).size).toBe(3);
  const release = { creates: true, body: { files: [], settings: {} } } as const;
  for (const slug of ["a", "b"])
    await api.call("POST /projects/:slug/releases", { ...release, params: { slug } } as never).catch(() => {});
  expect(new Set(sent("idempotency-key").slice(-2)).size).toBe(2);
});

test("a deletion that finds nothing is a success only if an earlier one of the same may have been", async () => {
  const gone = problem("member_not_found", 404);
  const { api } = apiWith([gone, { status: 503 }, gone, gone, { status: 503 }, gone]);
  const remove = (member = "me") =>
    api
      .call("DELETE /projects/:slug/members/:member", { params: { slug: "game", member } })
      .then(() => "done", messageOf);
  const notFound = await remove();
  expect(await remove()).toContain("The service has trouble");
  expect(await remove()).toBe("done");
  expect(await remove()).toBe(notFound);
  await remove();
  expect(await remove("another")).toBe(notFound);
});

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
