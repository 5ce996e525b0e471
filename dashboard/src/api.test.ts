import { afterEach, expect, jest, test } from "@jest/globals";
import { Api } from "./api.ts";
import { messageOf } from "./messages.ts";
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
