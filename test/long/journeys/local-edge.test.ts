import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { dummyCredentials } from "../../../local/credentials.ts";
import { actorsOf } from "../../support/service/actors.ts";
import { type Owner, withProject } from "../../support/service/operations.ts";
import { type GameResponse, playFile } from "../../support/service/play.ts";
import { type RecordedService, startRecordedService } from "../../support/service/recorded-service.ts";
import { publish } from "../../support/service/steps.ts";
import { opening } from "../../support/service/visits.ts";
import { type RecordedStore, startRecordedStore } from "../../support/store/store-recorder.ts";

/*
 * `npm start` as it is without settings for tests: games play through the deployed functions, the embedded key-value store and
 * the model of CloudFront's cache.
 */

let store: RecordedStore;
let service: RecordedService;
let ada: Owner;

beforeAll(async () => {
  store = await startRecordedStore();
  const { accessKeyId, secretAccessKey } = dummyCredentials;
  service = await startRecordedService({
    env: {
      GAMES_STORE_ENDPOINT: undefined,
      S3_ENDPOINT: store.endpoint,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
    },
  });
});

beforeEach(async () => {
  ada = await withProject(await actorsOf(service).developer());
});

afterAll(async () => {
  service?.recorder.plan(undefined);
  await service?.stop();
  await store?.stop();
});

const large = "x".repeat(1_000_000);
const folder = (label: string) => ({ "index.html": `page ${label}`, "a.js": `a ${label}`, "large.bin": large });

async function get(
  path: string,
  headers: Record<string, string> = {},
): Promise<GameResponse & { text: string; from: string }> {
  const played = await playFile(service, ada.slug, { path, headers });
  return { ...played, text: played.body.toString(), from: String(played.headers["x-cache"]).split(" ")[0] ?? "" };
}

test("what is published is played with the next request, and is gone with the next one after it is taken offline", async () => {
  expect((await get("/", opening)).status).toBe(404);
  await publish(ada, ada.slug, folder("1"));
  expect((await get("/", opening)).text).toBe("page 1");
  await publish(ada, ada.slug, folder("2"));
  expect((await get("/", opening)).text).toBe("page 2");
  await ada.post(`/projects/${ada.slug}/unpublish`);
  expect((await get("/", opening)).status).toBe(404);
});

test("a hit reads nothing, a miss at most the manifest, its copies' facts and an object, and none of them the table", async () => {
  await publish(ada, ada.slug, folder("1"));
  const calls = await service.recorder.during(async () => {
    const reads = async (path: string, from: string) => {
      const requests = await store.during(async () => expect((await get(path)).from).toBe(from));
      return requests.map(({ path: key }) => /\/(manifests|facts|files)\//.exec(key)?.[1]);
    };
    expect(await reads("/a.js", "Miss")).toEqual(["manifests", "facts", "files"]);
    expect(await reads("/large.bin", "Miss")).toEqual(["files"]);
    for (const path of ["/a.js", "/large.bin"]) expect(await reads(path, "Hit")).toEqual([]);
  });
  expect(calls).toEqual([]);
  expect((await get("/large.bin")).text).toBe(large);
  expect(await get("/large.bin", { range: "bytes=999990-" })).toMatchObject({ status: 206, text: "x".repeat(10) });
});

test("a roll-back to a warm cache reads nothing but the files that it changes back, not even its page", async () => {
  const first = await publish(ada, ada.slug, folder("1"));
  const visit = async () => [(await get("/", opening)).text, (await get("/a.js")).text, (await get("/large.bin")).from];
  await visit();
  await publish(ada, ada.slug, folder("2"));
  expect((await visit()).slice(0, 2)).toEqual(["page 2", "a 2"]);
  await ada.post(`/projects/${ada.slug}/releases/${first}/publish`, {});
  let seen: unknown;
  const requests = await store.during(async () => {
    seen = await visit();
  });
  const reads = requests.map(({ path: key }) => key.split("/")[4]);
  expect({ seen, reads }).toEqual({ seen: ["page 1", "a 1", "Hit"], reads: ["files"] });
});

test("without the table games go on, also what no cache has, and the API does not", async () => {
  await publish(ada, ada.slug, folder("1"));
  service.recorder.plan(() => ({ kind: "unreachable" }));
  expect((await actorsOf(service).anonymous.get(`/projects/${ada.slug}`)).status).toBe(503);
  expect((await get("/", opening)).text).toBe("page 1");
  expect(await get("/a.js")).toMatchObject({ text: "a 1", from: "Miss" });
  service.recorder.plan(undefined);
});
