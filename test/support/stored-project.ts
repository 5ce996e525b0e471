import { zstdDecompressSync } from "node:zlib";
import { GetCommand, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { signedAddress } from "../../functions/files/signed-address.ts";
import { type Key, keys } from "../../functions/table/keys.ts";
import { dummyCredentials } from "../../local/credentials.ts";
import type { TestStage } from "./stage.ts";

/** Everything that is stored of a project: its items by sort key, and the keys of its objects. */
export interface StoredProject {
  readonly items: Readonly<Record<string, Record<string, unknown>>>;
  readonly objects: readonly string[];
}

export async function storedProject(stage: TestStage, slug: string): Promise<StoredProject> {
  const { Items = [] } = await stage.table.send(
    new QueryCommand({
      TableName: stage.tableName,
      KeyConditionExpression: "PK = :partition",
      ExpressionAttributeValues: { ":partition": keys.project(slug).PK },
      ConsistentRead: true,
    }),
  );
  return {
    items: Object.fromEntries(Items.map(({ PK, SK, ...item }) => [SK, item])),
    objects: (await storedObjects(stage, `projects/${slug}/`)).map((key) => key.slice(`projects/${slug}/`.length)),
  };
}

/** The keys of the first 1,000 objects whose key begins so. */
async function storedObjects(stage: TestStage, prefix: string): Promise<string[]> {
  const xml = await (await getFromStore(stage, "", { "list-type": "2", prefix })).text();
  return [...xml.matchAll(/<Key>([^<]*)</g)].map(([, key = ""]) => key);
}

/** The manifests of a project as text: a line for each file of each release that was ever opened. */
export async function storedManifests(stage: TestStage, slug: string): Promise<string[]> {
  const manifests = await storedObjects(stage, `projects/${slug}/manifests/`);
  return await Promise.all(
    manifests.map(async (key) => {
      const packed = await (await getFromStore(stage, `/${key}`)).arrayBuffer();
      return zstdDecompressSync(packed).toString();
    }),
  );
}

function getFromStore({ s3Endpoint, bucketName }: TestStage, path: string, query?: Record<string, string>) {
  const request = { method: "GET", origin: s3Endpoint, path: `/${bucketName}${path}`, expiresInSeconds: 60 } as const;
  const signer = { ...dummyCredentials, region: "eu-central-1" };
  return fetch(signedAddress({ ...request, ...(query && { query }) }, signer, new Date()));
}

/** One item, as it is stored. */
export async function storedItem(
  { table, tableName }: TestStage,
  key: Key,
): Promise<Record<string, unknown> | undefined> {
  const { Item } = await table.send(new GetCommand({ TableName: tableName, Key: key, ConsistentRead: true }));
  return Item;
}

/** Makes the time of an item's life end this many seconds from now. */
export async function endLife(stage: TestStage, key: Key, secondsFromNow: number): Promise<void> {
  await stage.table.send(
    new UpdateCommand({
      TableName: stage.tableName,
      Key: key,
      UpdateExpression: "SET #ttl = :ttl",
      ExpressionAttributeNames: { "#ttl": "ttl" },
      ExpressionAttributeValues: { ":ttl": Math.floor(Date.now() / 1_000) + secondsFromNow },
    }),
  );
}
