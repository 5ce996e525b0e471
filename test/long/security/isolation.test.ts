import { beforeAll, describe, expect, test } from "@jest/globals";
import { actorsOf, type Developer } from "../../support/service/actors.ts";
import type { CheckedResponse } from "../../support/service/checked-request.ts";
import { manifestOf, newProject, publish } from "../../support/service/steps.ts";
import { useService } from "../../support/service/suite.ts";

/*
 * Two developers of one service: neither learns what the other has, nor can use it. A request about another's thing
 * gets exactly the response of one about a missing thing.
 */
const service = useService();
let ada: Developer;
let bob: Developer;
let adas: string;
let bobs: string;
let adasRelease: string;
const folder = { "index.html": "<p>Only Ada has this.</p>", "secret.json": '{"plan": "Ada\'s"}' };

beforeAll(async () => {
  const actors = actorsOf(service);
  [ada, bob] = [await actors.developer(), await actors.otherDeveloper()];
  [adas, bobs] = [await newProject(ada), await newProject(bob)];
  adasRelease = await publish(ada, adas, folder);
});

/** A response without what differs in any two responses. */
function told({ status, headers, body }: CheckedResponse) {
  const names = [...headers.keys()].filter((name) => name !== "content-length");
  return { status, names, body: { ...body, request_id: "" } };
}

describe("a release with the hashes of another developer's files", () => {
  test("must still upload them, so that nobody can find out what others have stored", async () => {
    const { body } = await bob.post(`/projects/${bobs}/releases`, { files: manifestOf(folder) });
    expect(body.missing).toHaveLength(2);
    const publishing = await bob.post(`/projects/${bobs}/releases/${body.release.id}/publish`);
    expect(publishing).toMatchObject({ status: 409, body: { code: "release_incomplete" } });
  });

  test("never serves them", async () => {
    const response = await actorsOf(service).anonymous.get(`/projects/${bobs}/files/secret.json`);
    expect(response).toMatchObject({ status: 404, body: { code: "file_not_found" } });
  });
});

describe("another developer's things look like missing ones:", () => {
  const pairs: [string, () => Promise<CheckedResponse>, () => Promise<CheckedResponse>][] = [
    [
      "a project",
      () => bob.patch(`/projects/${adas}`, { name: "Bob's now" }),
      () => bob.patch("/projects/nobodys", { name: "Bob's now" }),
    ],
    [
      "the releases of a project",
      () => bob.get(`/projects/${adas}/releases`),
      () => bob.get("/projects/nobodys/releases"),
    ],
    [
      "a release of it",
      () => bob.get(`/projects/${adas}/releases/${adasRelease}`),
      () => bob.get(`/projects/${adas}/releases/0000000000000000000000`),
    ],
    [
      "a release of it, as one of one's own project",
      () => bob.get(`/projects/${bobs}/releases/${adasRelease}`),
      () => bob.get(`/projects/${bobs}/releases/0000000000000000000000`),
    ],
    [
      "publishing it as one of one's own project",
      () => bob.post(`/projects/${bobs}/releases/${adasRelease}/publish`),
      () => bob.post(`/projects/${bobs}/releases/0000000000000000000000/publish`),
    ],
    [
      "a token",
      async () => bob.delete(`/tokens/${(await ada.token()).id}`),
      () => bob.delete("/tokens/0000000000000000000000"),
    ],
  ];
  test.each(pairs)("%s", async (_, theirs, nobodys) => {
    const [first, second] = [await theirs(), await nobodys()];
    expect(first.status).toBe(404);
    expect(told(first)).toEqual(told(second));
  });
});

test("a cursor from another account's list is refused", async () => {
  for (let count = 0; count < 3; count += 1) await ada.token({ name: "Ada's" });
  const { body } = await ada.get("/tokens?limit=1");
  const refused = await bob.get(`/tokens?cursor=${body.next_cursor}`);
  expect(refused).toMatchObject({ status: 400, body: { code: "invalid_cursor" } });
});

test("a developer sees no email address and role but their own", async () => {
  const { body } = await bob.get(`/users/${ada.uid}`);
  expect(JSON.stringify(body)).not.toMatch(/@|"dev"|role/);
  const { report_url: operators, ...project } = (await bob.get(`/projects/${adas}`)).body;
  expect(operators).toContain("mailto:abuse@localhost");
  expect(JSON.stringify(project)).not.toMatch(new RegExp(`@|owner|${ada.uid}`));
});
