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
