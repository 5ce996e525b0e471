import { randomUUID } from "node:crypto";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type RouteName, routes } from "../../contract/routes.ts";
import { accountKeyOf } from "../../contract/token-format.ts";
import { keys } from "../../functions/table/keys.ts";
import { type Actors, actorsOf, type TokenActor } from "../support/actors.ts";
import { type DynamodbRecorder, type RecordedCall, startRecordedService } from "../support/dynamodb-recorder.ts";
import { type Folder, manifestOf, sha256, type UploadUrl, upload } from "../support/publishing.ts";
import type { TestService } from "../support/service.ts";
import { type RecordedStore, type StoreRequest, startRecordedStore } from "../support/store-recorder.ts";
import { permissionsOf, synthesise } from "../support/synthesis.ts";

/*
 * Least privilege, both ways: every route is used in each way that makes it do something else, and what it then asked
 * of the table and the bucket is exactly what the role of its function in the synthesised stack may ask.
 */

const granted = synthesise("staging");
const used = new Map<RouteName, Set<string>>();

let store: RecordedStore;
let stage: TestService & { recorder: DynamodbRecorder };
let actors: Actors;

beforeAll(async () => {
  store = await startRecordedStore();
  stage = await startRecordedService({ env: { S3_ENDPOINT: store.endpoint, BUCKET_NAME: store.bucketName } });
  actors = actorsOf(stage);
  await useEverything();
});

afterAll(async () => {
  await stage?.stop();
  await store?.stop();
});

/** Runs something and notes what was asked of table and bucket meanwhile as the doing of this route. */
async function as<T>(route: RouteName, action: () => Promise<T>): Promise<T> {
  const result = Promise.withResolvers<T>();
  let calls: RecordedCall[] = [];
  const requests = await store.during(async () => {
    calls = await stage.recorder.during(() => action().then(result.resolve, result.reject));
  });
  const actions = [...calls.flatMap(tableActions), ...requests.map(objectAction)];
  used.set(route, new Set([...(used.get(route) ?? []), ...actions]));
  return await result.promise;
}

/** A call as IAM sees it: a transaction needs the action of each of its writes and has none of its own. */
function tableActions({ operation, input }: RecordedCall): string[] {
  if (operation !== "TransactWriteItems") return [`dynamodb:${operation} Table`];
  return input.TransactItems.flatMap(Object.keys).map((write: string) =>
    write === "ConditionCheck" ? "dynamodb:ConditionCheckItem Table" : `dynamodb:${write}Item Table`,
  );
}

function objectAction({ kind, path }: StoreRequest): string {
  const key = path.replace(`/${store.bucketName}/`, "").replace(/^projects\/[^/]+\//, "projects/*/");
  if (kind === "list") return `s3:ListBucket Files of ${key}`;
  return `s3:${kind === "put" ? "Put" : "Get"}Object Files/${key.replace(/[0-9a-f]{64}/, "*")}`;
}

/** A token's next use is noted again once the last one is more than an hour ago. */
async function forgetUse({ credential, id }: TokenActor): Promise<void> {
  await stage.table.send(
    new UpdateCommand({
      TableName: stage.tableName,
      Key: keys.token(accountKeyOf(credential), id),
      UpdateExpression: "SET lastUsedAt = :then",
      ExpressionAttributeValues: { ":then": "2020-01-01T00:00:00.000Z" },
    }),
  );
}

/** Calls a route by a new token, whose first use is noted with an event, and by one that was used long ago. */
async function byToken<T>(
  route: RouteName,
  call: (token: TokenActor) => Promise<T>,
  newToken: () => Promise<TokenActor>,
) {
  const token = await newToken();
  await as(route, () => call(token));
  await forgetUse(token);
  return await as(route, () => call(token));
}

async function useEverything(): Promise<void> {
  const { anonymous } = actors;
  await as("getHealth", () => anonymous.get("/health"));
  await as("getOpenApi", () => anonymous.get("/openapi.json"));
  const stranger = await actors.stranger();
  await as("createSession", () => stranger.post("/auth/session"));
  await as("createSession", () => stranger.post("/auth/session", { role: "dev" }));
  const ada = await actors.developer();
  const newToken = () => ada.token({ scopes: ["publish", "projects"] });
  await byToken("getMe", (token) => token.get("/me"), newToken);
  await as("updateMe", () => ada.patch("/me", { bio: "Writes games." }));
  await as("listEvents", () => ada.get("/me/events"));
  await as("getUser", () => anonymous.get(`/users/${ada.uid}`));
  const slug = await useProjects(ada, newToken);
  const narrowed = { name: "CI", scopes: ["publish"], projects: [slug] };
  const { body } = await as("createToken", () => ada.post("/tokens", narrowed));
  await as("listTokens", () => ada.get("/tokens"));
  await as("revokeToken", () => ada.delete(`/tokens/${body.id}`));
  await useReleases(slug, newToken);
}

async function useProjects(ada: Awaited<ReturnType<Actors["developer"]>>, newToken: () => Promise<TokenActor>) {
  const slug = `access-${randomUUID().slice(0, 8)}`;
  await as("createProject", () => ada.post("/projects", { slug }));
  await byToken("createProject", (token) => token.post("/projects", { slug: `${slug}-2` }), newToken);
  await byToken("listProjects", (token) => token.get("/projects"), newToken);
  await as("getProject", () => actors.anonymous.get(`/projects/${slug}`));
  await byToken("updateProject", (token) => token.patch(`/projects/${slug}`, { name: "Pong" }), newToken);
  return slug;
}

/** A page, which is served from the project's own address, and a picture, which is redirected to. */
const contents = { "index.html": "<h1>Pong</h1>", "ball.png": "a ball" };

async function useReleases(slug: string, newToken: () => Promise<TokenActor>): Promise<void> {
  const path = `/projects/${slug}/releases`;
  const first = await publish(path, newToken, contents);
  await publish(path, newToken, { ...contents, "score.txt": "0 : 0" });
  await byToken("publishRelease", (token) => token.post(`${path}/${first}/publish`), newToken);
  await byToken("listReleases", (token) => token.get(path), newToken);
  await byToken("getRelease", (token) => token.get(`${path}/${first}`), newToken);
  for (const name of Object.keys(contents))
    await as("getFile", async () => {
      const response = await fetch(`${stage.api}/projects/${slug}/files/${name}`);
      expect(response.status).toBe(200);
      await response.bytes();
    });
}

/** From a manifest to a live release, with the uploads to the addresses that the service signs. */
async function publish(path: string, newToken: () => Promise<TokenActor>, files: Folder): Promise<string> {
  const request = { files: manifestOf(files) };
  const { body } = await byToken("createRelease", (token) => token.post(path, request), newToken);
  const bytes = new Map(Object.values(files).map((content) => [sha256(content), content]));
  const uploadAll = async (token: TokenActor) => {
    const { body: response } = await token.post(`${path}/${body.release.id}/uploads`, { sha256: body.missing });
    for (const address of response.uploads as UploadUrl[])
      expect(await upload(address, bytes.get(address.sha256) ?? "")).toBe(200);
  };
  await byToken("createUploads", uploadAll, newToken);
  const goLive = (token: TokenActor) => token.post(`${path}/${body.release.id}/publish`);
  expect(await byToken("publishRelease", goLive, newToken)).toMatchObject({ status: 200 });
  return body.release.id;
}

test.each(Object.keys(routes) as RouteName[])("%s may do exactly what it does", (route) => {
  const aboutData = permissionsOf(granted, route).filter((permission) => /^(dynamodb|s3):/.test(permission));
  expect([...(used.get(route) ?? [])].toSorted()).toEqual(aboutData);
});
