import { zstdDecompressSync } from "node:zlib";
import { GetCommand, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { presignedUrl } from "../../functions/files/presigned-url.ts";
import { type Key, keys } from "../../functions/table/keys.ts";
import { dummyCredentials } from "../../local/credentials.ts";
import type { TestService } from "./service.ts";

/** Everything that is stored of a project: its items by sort key, and the keys of its objects. */
export interface StoredProject {
  readonly items: Readonly<Record<string, Record<string, unknown>>>;
  readonly objects: readonly string[];
}

export async function storedProject(service: TestService, slug: string): Promise<StoredProject> {
  const { Items = [] } = await service.table.send(
    new QueryCommand({
      TableName: service.tableName,
      KeyConditionExpression: "PK = :partition",
      ExpressionAttributeValues: { ":partition": keys.project(slug).PK },
      ConsistentRead: true,
    }),
  );
  return {
    items: Object.fromEntries(Items.map(({ PK, SK, ...item }) => [SK, item])),
    objects: (await storedObjects(service, `projects/${slug}/`)).map((key) => key.slice(`projects/${slug}/`.length)),
  };
}

/** The keys of the first 1,000 objects whose key begins so. */
async function storedObjects(service: TestService, prefix: string): Promise<string[]> {
  const xml = await (await getFromStore(service, "", { "list-type": "2", prefix })).text();
  return [...xml.matchAll(/<Key>([^<]*)</g)].map(([, key = ""]) => key);
}

/** The manifests of a project as text: a line for each file of each release that was ever opened. */
export async function storedManifests(service: TestService, slug: string): Promise<string[]> {
  const manifests = await storedObjects(service, `projects/${slug}/manifests/`);
  return await Promise.all(
    manifests.map(async (key) => {
      const packed = await (await getFromStore(service, `/${key}`)).arrayBuffer();
      return zstdDecompressSync(packed).toString();
    }),
  );
}

function getFromStore({ s3Endpoint, bucketName }: TestService, path: string, query?: Record<string, string>) {
  const request = { method: "GET", origin: s3Endpoint, path: `/${bucketName}${path}`, expiresInSeconds: 60 } as const;
  const signer = { ...dummyCredentials, region: "eu-central-1" };
  return fetch(presignedUrl({ ...request, ...(query && { query }) }, signer, new Date()));
}

/** One item, as it is stored. */
export async function storedItem(
  { table, tableName }: TestService,
  key: Key,
): Promise<Record<string, unknown> | undefined> {
  const { Item } = await table.send(new GetCommand({ TableName: tableName, Key: key, ConsistentRead: true }));
  return Item;
}

/** Makes the time of an item's life end this many seconds from now. */
export async function endLife(service: TestService, key: Key, secondsFromNow: number): Promise<void> {
  await service.table.send(
    new UpdateCommand({
      TableName: service.tableName,
      Key: key,
      UpdateExpression: "SET #ttl = :ttl",
      ExpressionAttributeNames: { "#ttl": "ttl" },
      ExpressionAttributeValues: { ":ttl": Math.floor(Date.now() / 1_000) + secondsFromNow },
    }),
  );
}
