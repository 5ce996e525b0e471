import { beforeAll, expect, test } from "@jest/globals";
import { limits } from "../../../contract/api/limits.ts";
import { type Actor, actorsOf } from "../../support/service/actors.ts";
import { type Owner, withProject } from "../../support/service/operations.ts";
import { useService } from "../../support/service/suite.ts";

/*
 * Bodies of the largest size that is accepted, with as many mistakes as possible; the fuzzer's bodies are small. Each
 * mistake costs the function more than its bytes, and no caller must be able to make the service fail.
 */
const service = useService();
let owner: Owner;
let stranger: Actor;

beforeAll(async () => {
  const actors = actorsOf(service);
  owner = await withProject(await actors.developer());
  stranger = await actors.stranger();
});

const largest = 524_288;
const largestOfRelease = 5_242_880;

/** `item` as often as it fits into a body. */
function many(item: string, room = largest - 200): string {
  return Array(Math.floor(room / (item.length + 1)))
    .fill(item)
    .join(",");
}

const files = (item: string) => `{"files":[${Array(limits.filesPerRelease).fill(item).join(",")}]}`;
const unknownFields = Array.from({ length: 50_000 }, (_, index) => `"${index.toString(36)}":1`).join(",");

const bodies: [string, () => [Actor, string], () => string][] = [
  ["scopes that are none", () => [owner, "/tokens"], () => `{"name":"x","scopes":[${many("1")}]}`],
  ["the same scope", () => [owner, "/tokens"], () => `{"name":"x","scopes":[${many('"publish"')}]}`],
  [
    "projects that are none",
    () => [owner, "/tokens"],
    () => `{"name":"x","scopes":["publish"],"projects":[${many('""')}]}`,
  ],
  ["unknown fields", () => [stranger, "/auth/session"], () => `{${unknownFields}}`],
  [
    "a list within a list",
    () => [stranger, "/auth/session"],
    () => `{"role":${"[".repeat(250_000)}${"]".repeat(250_000)}}`,
  ],
  [
    "numbers as files",
    () => [owner, `/projects/${owner.slug}/releases`],
    () => `{"files":[${many("1", largestOfRelease - 200)}]}`,
  ],
  [
    "files of which every part is wrong",
    () => [owner, `/projects/${owner.slug}/releases`],
    () => files('{"a":1,"path":"","size":-1e300,"sha256":"x"}'),
  ],
  [
    "the same file, with two lengths",
    () => [owner, `/projects/${owner.slug}/releases`],
    () => files(`{"path":"a","size":1,"sha256":"${"0".repeat(64)}"}`).replace('"size":1', '"size":2'),
  ],
];

test.each(bodies)("a body full of %s responds with 422, with at most 100 places", async (_, to, body) => {
  const [actor, path] = to();
  const sent = { headers: { "content-type": "application/json" }, body: body() };
  expect(sent.body.length).toBeLessThanOrEqual(path.endsWith("/releases") ? largestOfRelease : largest);
  const response = await actor.send("POST", path, sent);
  expect({ status: response.status, code: response.body.code }).toEqual({ status: 422, code: "validation_failed" });
  expect(response.body.errors.length).toBeGreaterThan(0);
  expect(response.body.errors.length).toBeLessThanOrEqual(100);
});

test("the service still responds after these tests", async () => {
  expect((await owner.get("/me")).status).toBe(200);
});
