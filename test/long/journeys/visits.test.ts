import { expect, test } from "@jest/globals";
import { type GameResponse, play } from "../../support/service/play.ts";
import { publish } from "../../support/service/steps.ts";
import { useOwner, useService } from "../../support/service/suite.ts";
import { opening } from "../../support/service/visits.ts";

/* The visits of players while releases go live, are rolled back to and are deleted. edge/visit/visit.test.ts has the rules. */

const service = useService();
const ada = useOwner(service);

const first = { "index.html": "page 1", "level.json": "level 1", "only-1.js": "1" };
const second = { "index.html": "page 2", "level.json": "level 2", "only-2.js": "2", "secret.txt": "secret" };

async function open(cookie?: string) {
  const page = await play(service, ada.slug, { headers: { ...opening, ...(cookie && { cookie }) } });
  return { text: page.body.toString(), cookie: cookieOf(page) };
}

function cookieOf({ headers }: GameResponse): string {
  return headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
}

/** The body of a file that the page loads, or the status if it is not 200. */
async function load(path: string, cookie?: string): Promise<string | number> {
  const headers = { "sec-fetch-dest": "empty", "sec-fetch-site": "same-origin", ...(cookie && { cookie }) };
  const { status, body } = await play(service, ada.slug, { path, headers });
  return status === 200 ? body.toString() : status;
}

test("a visit goes on with its release after an update and a rollback, until that release is deleted", async () => {
  const firstId = await publish(ada, ada.slug, first);
  const before = await open();
  expect(before.text).toBe("page 1");
  const secondId = await publish(ada, ada.slug, second);
  expect(await load("/level.json", before.cookie)).toBe("level 1");
  // A path that its release lacks is looked for in the live one.
  expect(await load("/only-2.js", before.cookie)).toBe("2");
  // A browser that keeps no cookies may have the page of the release before.
  expect(await load("/only-1.js")).toBe("1");
  const after = await open(before.cookie);
  expect(after.text).toBe("page 2");
  expect(await load("/level.json", after.cookie)).toBe("level 2");

  await ada.post(`/projects/${ada.slug}/releases/${firstId}/publish`);
  expect((await open()).text).toBe("page 1");
  expect([await load("/level.json", after.cookie), await load("/secret.txt", after.cookie)]).toEqual([
    "level 2",
    "secret",
  ]);
  for (const cookie of [undefined, before.cookie]) expect(await load("/secret.txt", cookie)).toBe(404);

  await ada.post(`/projects/${ada.slug}/releases/${secondId}/withdraw`);
  expect([await load("/level.json", after.cookie), await load("/secret.txt", after.cookie)]).toEqual(["level 1", 404]);
});
