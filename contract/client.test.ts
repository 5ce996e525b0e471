import { expect, test } from "@jest/globals";
import { ApiError, type ApiResponse, NetworkError } from "./api-error.ts";
import { type ApiRequest, Client, type ClientPorts } from "./client.ts";

interface Answer {
  readonly status: number;
  readonly body?: object | string;
  readonly headers?: Readonly<Record<string, string>>;
}

const lost = new NetworkError("Lost.", { isTransient: true, isUnsent: false });
const unsent = new NetworkError("Nobody listens.", { isTransient: true, isUnsent: true });
const problem = (status: number, code: string): Answer => ({ status, body: { code, detail: code } });

/** A client of an API that responds so, one after the other, and then with 204. */
function clientOf(answers: readonly (Answer | Error)[], ports: Partial<ClientPorts> = {}) {
  const sent: ApiRequest[] = [];
  const fetch = async (request: ApiRequest): Promise<ApiResponse> => {
    const answer = answers[sent.push(request) - 1] ?? { status: 204 };
    if (answer instanceof Error) throw answer;
    const { status, body = "", headers = {} } = answer;
    return { status, header: (name) => headers[name], body: typeof body === "string" ? body : JSON.stringify(body) };
  };
  const api = new URL("https://api.svc.example/");
  const client = new Client({ api, fetch, credential: async () => "secret", tries: 1, ...ports });
  const keys = () => sent.map(({ headers }) => headers["idempotency-key"]);
  return { client, sent, keys };
}

const outcome = (call: Promise<unknown>) => call.then(() => "done", codeOf);
const codeOf = (failure: unknown) => (failure instanceof ApiError ? failure.code : (failure as Error).message);

test("what the program has already is not sent again", async () => {
  const page = { projects: [] };
  const { client, sent } = clientOf([
    { status: 200, body: page, headers: { etag: '"1"' } },
    { status: 304, headers: { etag: '"1"' } },
    { status: 200, body: page, headers: { etag: '"2"' } },
  ]);
  expect(await client.reread("GET /projects", null)).toEqual({ body: page, etag: '"1"' });
  expect(await client.reread("GET /projects", '"1"')).toBeUndefined();
  expect(await client.reread("GET /projects", '"1"')).toEqual({ body: page, etag: '"2"' });
  expect(sent.map(({ headers }) => headers["if-none-match"])).toEqual([undefined, '"1"', '"1"']);
});

test("a request has its parameters, what is known of its query, its credential, and the ETag that was read", async () => {
  const { client, sent } = clientOf([
    { status: 200, body: { tokens: [] }, headers: { etag: '"1"' } },
    { status: 200, body: {} },
  ]);
  const query = { state: "active", cursor: undefined, token: "a&b" };
  const { body, etag } = await client.read("GET /projects/:slug/previews", { params: { slug: "ä b" }, query });
  expect({ body, etag }).toEqual({ body: { tokens: [] }, etag: '"1"' });
  await client.call("PATCH /projects/:slug", { params: { slug: "a" }, body: { name: "A" }, ifMatch: etag });
  expect(
    sent.map(({ method, url: { pathname, search }, headers, body }) => ({
      method,
      path: pathname + search,
      headers,
      body,
    })),
  ).toEqual([
    {
      method: "GET",
      path: "/projects/%C3%A4%20b/previews?state=active&token=a%26b",
      headers: { authorization: "Bearer secret" },
      body: undefined,
    },
    {
      method: "PATCH",
      path: "/projects/a",
      headers: { authorization: "Bearer secret", "content-type": "application/json", "if-match": '"1"' },
      body: '{"name":"A"}',
    },
  ]);
});

test.each(["", ".", "..", "a/b", "a%2Fb", "a?b", "a\\b", "\ud800"])(
  "nothing has the name %j, for which nothing is sent",
  async (slug) => {
    const { client, sent } = clientOf([]);
    await expect(client.call("GET /projects/:slug", { params: { slug } })).rejects.toThrow("cannot be the slug");
    expect(sent).toEqual([]);
  },
);

const create = (client: Client, slug = "game") =>
  outcome(client.call("POST /projects", { creates: true, body: { slug } }));

test("only the same creation has the same key again, until its result is known or gone", async () => {
  const { client, keys } = clientOf([
    lost,
    lost,
    problem(409, "idempotency_result_gone"),
    lost,
    { status: 201, body: {} },
    lost,
  ]);
  await create(client);
  await create(client, "other");
  await create(client);
  await create(client);
  await create(client);
  await create(client);
  const [first, other, gone, anew, again, next] = keys();
  expect(first).toMatch(/^"[0-9a-f-]{36}"$/);
  expect([gone, again]).toEqual([first, anew]);
  expect(new Set([first, other, anew, next]).size).toBe(4);
});

test("all tries of a creation have one key", async () => {
  const { client, keys } = clientOf([lost, problem(503, "temporarily_unavailable"), { status: 201, body: {} }], {
    tries: 5,
  });
  expect(await create(client)).toBe("done");
  expect(new Set(keys()).size).toBe(1);
});

const params = { slug: "game", id: "1" };
const remove = (client: Client, id = "1") =>
  outcome(client.call("DELETE /projects/:slug/publishers/:id", { params: { ...params, id }, empty: true }));

test("a deletion that finds nothing is a success only if an earlier one of the same may have been", async () => {
  const gone = problem(404, "publisher_not_found");
  const trouble = problem(503, "temporarily_unavailable");
  const { client } = clientOf([gone, trouble, problem(429, "too_many_requests"), gone, gone, lost, gone]);
  expect(await remove(client)).toBe("publisher_not_found");
  expect(await remove(client)).toBe("temporarily_unavailable");
  expect(await remove(client)).toBe("too_many_requests");
  expect(await remove(client)).toBe("done");
  expect(await remove(client)).toBe("publisher_not_found");
  await remove(client);
  expect(await remove(client, "2")).toBe("publisher_not_found");
});

test.each<[string, Answer | Error, Answer]>([
  ["a request that nobody has received", unsent, problem(404, "publisher_not_found")],
  ["a deletion whose response was lost, by a token that is revoked meanwhile,", lost, problem(401, "token_revoked")],
  ["a deletion whose response was lost, and an API without the route,", lost, problem(404, "route_not_found")],
])("%s is no deletion that has succeeded", async (_, first, second) => {
  const { client, sent } = clientOf([first, second], { tries: 2 });
  expect(await remove(client)).not.toBe("done");
  expect(sent).toHaveLength(2);
});

test("a token that a lost request has revoked is revoked", async () => {
  const { client } = clientOf([lost, problem(401, "token_revoked")], { tries: 2 });
  expect(await outcome(client.call("DELETE /tokens/current", { empty: true }))).toBe("done");
});

test.each<[string, Answer]>([
  ["a body", { status: 200, body: { ok: true } }],
  ["a page", { status: 200, body: "<p>Log in</p>" }],
])("a deletion without a body that gets %s has not succeeded: that is another server", async (_, answer) => {
  const { client } = clientOf([answer]);
  expect(await outcome(client.call("DELETE /tokens/current", { empty: true }))).toBe("unexpected_response");
});

test.each<[string, Answer, ApiError["code"]]>([
  ["a page", { status: 200, body: "<p>Log in</p>" }, "unexpected_response"],
  ["a list", { status: 200, body: [] }, "unexpected_response"],
  ["nothing", { status: 204 }, "unexpected_response"],
  ["half of an object", { status: 200, body: "{" }, "unexpected_response"],
  ...[401, 403, 404, 409, 412].map((status): [string, Answer, ApiError["code"]] => [
    `a page with status ${status}`,
    { status, body: "<h1>No</h1>" },
    "unexpected_response",
  ]),
  ["a refusal of API Gateway", { status: 403, body: { message: "Forbidden" } }, "gateway"],
  ["a refusal of a proxy", { status: 403, body: { error: "blocked" } }, "unexpected_response"],
  ["a refusal of the API", problem(403, "insufficient_scope"), "insufficient_scope"],
])("%s in place of an account is %s", async (_, answer, code) => {
  expect(await outcome(clientOf([answer]).client.call("GET /me"))).toBe(code);
});

test.each([
  ["GET", 2],
  ["PUT", 2],
  ["POST", 1],
  ["PATCH", 1],
  ["DELETE", 1],
])("a %s that no route's types describe is sent %i times if the server has trouble", async (method, times) => {
  const { client, sent } = clientOf([{ status: 503 }, { status: 200, body: "{}" }], { tries: 5 });
  const { status } = await client.send({ method, url: new URL("/x", client.api), headers: {}, body: undefined });
  expect({ sent: sent.length, status }).toEqual({ sent: times, status: times === 2 ? 200 : 503 });
});

test.each<[string, Answer | Error, Readonly<Record<string, string>>]>([
  ["that nobody has received", unsent, {}],
  ["that was throttled", { status: 429 }, {}],
  ["with an idempotency key", lost, { "idempotency-key": '"k"' }],
])("a POST %s is sent again", async (_, first, headers) => {
  const { client, sent } = clientOf([first, { status: 201, body: "{}" }], { tries: 5 });
  expect((await client.send({ method: "POST", url: new URL("/x", client.api), headers, body: "{}" })).status).toBe(201);
  expect(sent).toHaveLength(2);
});

test("what must not be repeated is not, if it may have been done", async () => {
  const beforeRepeat = () => Promise.reject(new Error("Replaced."));
  const publish = (client: Client) =>
    outcome(client.call("POST /projects/:slug/releases/:id/publish", { params, body: {}, beforeRepeat }));
  const done = { status: 200, body: {} };
  expect(await publish(clientOf([lost, done], { tries: 2 }).client)).toBe("Replaced.");
  expect(await publish(clientOf([unsent, done], { tries: 2 }).client)).toBe("done");
});

test("once its signal aborts, a patient client waits for no response and sends nothing", async () => {
  const stop = new AbortController();
  let sent = 0;
  const fetch = () => {
    sent += 1;
    return new Promise<never>(() => {});
  };
  const patience = { longestMilliseconds: 0, tries: 2, signal: stop.signal, onLost: () => {}, onResponse: () => {} };
  const client = clientOf([], { fetch }).client.withPatience(patience);
  const waiting = client.call("GET /me");
  setTimeout(() => stop.abort(new Error("Interrupted.")), 10);
  await expect(waiting).rejects.toThrow("Interrupted.");
  await expect(client.call("GET /me")).rejects.toThrow("Interrupted.");
  expect(sent).toBe(1);
});

test("no request goes to another origin with the credential", async () => {
  const { client, sent } = clientOf([]);
  const request = { method: "GET", url: new URL("https://evil.example/"), headers: {}, body: undefined };
  await expect(client.send(request)).rejects.toThrow("is not the API");
  expect(sent).toEqual([]);
});
