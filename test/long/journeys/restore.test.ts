import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { BatchWriteCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { accountKey } from "../../../functions/table/keys.ts";
import { operate } from "../../../infra/operator/operator.ts";
import { dummyCredentials } from "../../../local/credentials.ts";
import { startObjectStore } from "../../../local/store/object-store.ts";
import { createTable } from "../../../local/table/create-table.ts";
import { blocksToRun, codeBlocks, emptyShell, root, shellEnvironment } from "../../support/documents.ts";
import { githubPublisher, newRepository } from "../../support/identity/jobs.ts";
import { actorsOf } from "../../support/service/actors.ts";
import { functionEnvironment } from "../../support/service/function-environment.ts";
import { addMember } from "../../support/service/operations.ts";
import { play } from "../../support/service/play.ts";
import { startService, type TestService } from "../../support/service/service.ts";
import { handOver, newProject, newSlug, publish } from "../../support/service/steps.ts";
import { useCliUser, useServers } from "../../support/service/suite.ts";
import { brokenInvariants } from "../../support/table/invariants.ts";
import { everyItem } from "../../support/table/stored.ts";

/*
 * A restore as docs/operations tell it: table and bucket as they were at a moment, and what was revoked, removed, taken down and deleted
 * after it. Copying a recovery point and restoring a table are AWS's own; everything after them runs here.
 */

const operator = useCliUser();
const start = useServers();
let folder: string;
let service: TestService;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "svc-restore-"));
  service = await startService({ dataFolder: folder, env: { DYNAMODB_ENDPOINT: undefined } });
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

const [copyFiles = "", endAll = ""] = blocksToRun("docs/operations/backup.md", 2);
const endOthers = codeBlocks("docs/operations/repairing.md").find(({ text }) => text.includes("--in-use"))?.text ?? "";

/**
 * The two operations of S3 that copy the files, on buckets that are folders. It lists two keys at a time, and copies only what says that it
 * replaces nothing, as the bucket's policy demands.
 */
async function startTwoBuckets(buckets: string): Promise<{ endpoint: string; stop: () => void }> {
  const element = (name: string, content: string) => `<${name}>${content}</${name}>`;
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
    const path = join(buckets, decodeURIComponent(pathname));
    if (request.method === "GET") {
      const prefix = searchParams.get("prefix") ?? "";
      const entries = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
      const keys = entries.map((entry) => relative(path, join(entry.parentPath, entry.name))).toSorted();
      const rest = keys.filter((key) => key.startsWith(prefix) && key > (searchParams.get("continuation-token") ?? ""));
      const page = rest.slice(0, 2);
      const contents = page.map((key) => element("Contents", element("Key", key))).join("");
      const next = rest.length > 2 ? element("NextContinuationToken", page.at(-1) ?? "") : "";
      const isTruncated = element("IsTruncated", String(rest.length > 2));
      return void response.end(element("ListBucketResult", isTruncated + next + contents));
    }
    if (request.headers["if-none-match"] !== "*" || existsSync(path))
      return void response.writeHead(412).end(element("Error", element("Code", "PreconditionFailed")));
    mkdirSync(dirname(path), { recursive: true });
    copyFileSync(join(buckets, decodeURIComponent(String(request.headers["x-amz-copy-source"]))), path);
    response.end(element("CopyObjectResult", element("ETag", "1")));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return { endpoint: `http://127.0.0.1:${port}`, stop: () => server.close() };
}

/** Runs a block as the operator does: at the service's store, the operator's command without a games' edge. */
async function run(block: string, env: Readonly<Record<string, string>>): Promise<string> {
  const ours = block.replace("--stage production", "--without-games");
  const { code, stdout, stderr } = await operator.run(["-c", ours], {
    program: emptyShell,
    cwd: root,
    env: {
      ...shellEnvironment(),
      ...functionEnvironment(service),
      AWS_REGION: "eu-central-1",
      ...env,
    },
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

/** The table as AWS restores it, under another name. */
async function copyTable(name: string): Promise<void> {
  await createTable(service.dynamodbEndpoint, name);
  const puts = (await everyItem(service)).map((Item) => ({ PutRequest: { Item } }));
  for (let start = 0; start < puts.length; start += 25)
    await service.table.send(new BatchWriteCommand({ RequestItems: { [name]: puts.slice(start, start + 25) } }));
}

/** A service on a table and a bucket beside those in use, with the same identity provider. */
const startOn = (TABLE_NAME: string, BUCKET_NAME: string, S3_ENDPOINT: string) =>
  startService({
    env: {
      TABLE_NAME,
      BUCKET_NAME,
      DYNAMODB_ENDPOINT: service.dynamodbEndpoint,
      S3_ENDPOINT,
      IDP_ISSUER: service.issuer,
      IDP_JWKS_URI: service.jwksUri,
      AWS_ACCESS_KEY_ID: dummyCredentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: dummyCredentials.secretAccessKey,
    },
  });

test("a stage's own table is never the one in which everything ends", async () => {
  delete process.env["TABLE_NAME"];
  const words = ["--stage", "staging", "revoke", "credentials", "--before", "2026-11-21T09:00:00Z"];
  await expect(operate(words, new Date())).rejects.toThrow("TABLE_NAME must name the restored table.");
});

test("after a restore nothing that ended since its moment is alive, and what was played then plays", async () => {
  const actors = actorsOf(service);
  const [ada, bob, eve, mallory, trudy] = [
    await actors.developer(),
    await actors.developer(),
    await actors.developer(),
    await actors.developer(),
    await actors.developer(),
  ];
  const [kept, leaked, replaced, ofEve] = [await ada.token(), await ada.token(), await ada.token(), await eve.token()];
  const slug = await newProject(ada);
  await publish(ada, slug, { "index.html": "<p>play" });
  const publisher = githubPublisher(newRepository(), "https://token.actions.githubusercontent.com");
  const { body: added } = await ada.post(`/projects/${slug}/publishers`, publisher);
  const leaky = await newProject(ada);
  const bad = await publish(ada, leaky, { "index.html": "<p>a secret" });
  const ofTrudys = await newProject(trudy);
  const planned = newSlug();
  await ada.post("/publishers", { project: planned, publisher });
  const [gone, given] = [await newProject(ada), await newProject(ada)];
  const [phish, stolen] = [await newProject(mallory), await newProject(mallory)];
  await publish(mallory, phish, { "index.html": "<p>your password" });
  for (const member of [bob, mallory]) await addMember(ada, slug, member, "publisher");

  Object.assign(process.env, functionEnvironment(service));
  await copyTable("svc-in-time");
  await copyTable("svc-copied");
  const bucket = (name: string) => join(folder, "objects", name);
  await cp(bucket(service.bucketName), bucket("svc-replica"), { recursive: true });

  await ada.delete(`/tokens/${leaked.id}`);
  await ada.delete(`/projects/${slug}/publishers/${added.id}`);
  await ada.post(`/tokens/${replaced.id}/replacement`, { overlap_hours: 24 });
  await ada.delete(`/publishers/${planned}`);
  await publish(ada, leaky, { "index.html": "<p>no secret" });
  await ada.post(`/projects/${leaky}/releases/${bad}/withdraw`);
  await eve.delete("/me");
  await ada.delete(`/projects/${gone}`);
  await handOver(ada, given, bob);
  await bob.delete(`/projects/${slug}/members/me`);
  for (const command of [
    `suspend project ${phish} --reason phishing`,
    `takedown ${stolen} --reason copyright`,
    `suspend project ${ofTrudys} --reason malware`,
    `suspend account ${trudy.uid} --reason spam`,
  ])
    await operate([...command.split(" "), "--without-games"], new Date());

  const buckets = await startTwoBuckets(join(folder, "objects"));
  // The second run finds everything copied.
  for (let round = 1; round <= 2; round += 1)
    await run(copyFiles, { COPY: "svc-replica", FILES: "svc-new", AWS_ENDPOINT_URL_S3: buckets.endpoint });
  buckets.stop();
  const store = await start(startObjectStore("svc-new", folder));

  const keyOf = ({ uid }: { uid: string }) => accountKey(service.issuer, uid);
  const statusOf = async (restored: TestService, credential: string) =>
    (await actorsOf(restored).bearer(credential).get("/me")).status;
  const BEGUN = new Date().toISOString();
  const inTime = { RESTORED: "svc-in-time", TABLE: service.tableName, BEGUN };
  for (const [table, block] of [
    ["svc-in-time", endOthers],
    ["svc-copied", endAll],
  ] as const) {
    const restored = await start(startOn(table, "svc-new", store.endpoint));
    // A restored table accepts revoked tokens again, until the command has run.
    for (const token of [kept, leaked, replaced, ofEve]) expect(await statusOf(restored, token.credential)).toBe(200);
    const done = JSON.parse(await run(block, { ...inTime, RESTORED: table }));
    const isInUse = table === "svc-in-time";
    expect(done).toEqual({
      tokens: isInUse ? 3 : 4,
      publishers: 2,
      members: isInUse ? 1 : 2,
      suspended: isInUse ? expect.arrayContaining([phish, stolen, ofTrudys, keyOf(trudy)]) : [],
      deletedSince: isInUse ? [keyOf(eve), gone] : [],
      withdrawn: isInUse ? [`${leaky} ${bad}`] : [],
      handedOverSince: isInUse ? [given] : [],
    });
    for (const token of [leaked, replaced, ofEve]) expect(await statusOf(restored, token.credential)).toBe(401);
    expect(await statusOf(restored, kept.credential)).toBe(isInUse ? 200 : 401);
    expect((await play(restored, slug)).body.toString()).toBe("<p>play");
    expect((await play(restored, leaky)).status).toBe(isInUse ? 404 : 200);
    expect((await play(restored, phish)).status).toBe(isInUse ? 410 : 200);
    const ofTrudy = await actorsOf(restored).bearer(trudy.credential).get("/projects");
    expect(ofTrudy.status).toBe(isInUse ? 403 : 200);

    const again = actorsOf(restored).bearer(ada.credential);
    const people = (await again.get(`/projects/${slug}/members`)).body.members;
    const uids = people.map(({ user }: { user: { uid: string } }) => user.uid);
    expect(uids).toEqual(isInUse ? [ada.uid, mallory.uid] : [ada.uid]);
    for (const path of [`/projects/${slug}/publishers`, "/publishers"])
      expect((await again.get(path)).body).toEqual({ publishers: [] });
    const fresh = await again.post("/tokens", { name: "after the restore", scopes: ["publish"] });
    await publish(actorsOf(restored).bearer(fresh.body.token), slug, { "index.html": "<p>play on" });
    await run(block, { ...inTime, RESTORED: table });
    expect(await statusOf(restored, fresh.body.token)).toBe(200);
    expect(brokenInvariants(await everyItem(restored))).toEqual([]);
  }
}, 300_000);
