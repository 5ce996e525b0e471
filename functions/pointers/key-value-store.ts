import { randomUUID } from "node:crypto";
import { lookup } from "node:dns";
import { Agent } from "node:http";
import type { LookupFunction } from "node:net";
import {
  CloudFrontKeyValueStoreClient,
  ConflictException,
  DescribeKeyValueStoreCommand,
  paginateListKeys,
  ServiceQuotaExceededException,
  UpdateKeysCommand,
  ValidationException,
} from "@aws-sdk/client-cloudfront-keyvaluestore";
// Signs for all regions, as the store demands; its import registers it with the client.
import "@aws-sdk/signature-v4a";
import * as environment from "../environment.ts";

/*
 * The key-value stores at CloudFront's edge, one for each games domain, which the viewer's functions read (edge/pointer.ts).
 */

let client: CloudFrontKeyValueStoreClient | undefined;

function store(): CloudFrontKeyValueStoreClient {
  const endpoint = environment.gamesStoreEndpoint();
  client ??= new CloudFrontKeyValueStoreClient({
    ...endpoint,
    // The store is global. The client asks for a region all the same, which names only the partition.
    region: "us-east-1",
    maxAttempts: 2,
    requestHandler: {
      connectionTimeout: 1_000,
      requestTimeout: 2_000,
      throwOnRequestTimeout: true,
      ...(endpoint.endpoint && { httpAgent: new Agent({ keepAlive: true, lookup: localhost }) }),
    },
  });
  return client;
}

/** The client puts the account's number before an endpoint's name, and not every system resolves names below localhost. */
const localhost: LookupFunction = (_, options, callback) => lookup("localhost", options, callback);

/** What the store holds, keys and values together (CloudFront Developer Guide, "Quotas on key value stores"). */
export const storeBytes = 5_000_000;
/** One write takes 50 keys (the same); one of them is our own. */
export const keysPerWrite = 49;

/**
 * A key that no host name reads. Its value is another one after each write: a write that changes nothing leaves the store's
 * ETag as it is, and would not be noticed by a writer that has read before it.
 */
const markKey = "-";

/** A state of a store: whoever writes names the one that it has read. */
export interface StoreVersion {
  readonly storeArn: string;
  readonly etag: string;
  readonly sizeBytes: number;
}

/** @throws the SDK's error where the store throttles, fails, denies, cannot be reached, or the signal aborts */
export async function readVersion(storeArn: string, abortSignal: AbortSignal): Promise<StoreVersion> {
  const command = new DescribeKeyValueStoreCommand({ KvsARN: storeArn });
  const { ETag = "", TotalSizeInBytes = 0 } = await store().send(command, { abortSignal });
  return { storeArn, etag: ETag, sizeBytes: TotalSizeInBytes };
}

/** All keys of a store that host names read. @throws as {@link readVersion} */
export async function listKeys(storeArn: string, abortSignal: AbortSignal): Promise<string[]> {
  const keys: string[] = [];
  const request = { KvsARN: storeArn, MaxResults: 50 };
  for await (const { Items = [] } of paginateListKeys({ client: store() }, request, { abortSignal }))
    keys.push(...Items.flatMap(({ Key = markKey }) => (Key === markKey ? [] : [Key])));
  return keys;
}

/** What the store's keys shall be; undefined: it shall have no such key. */
export type Entries = ReadonlyMap<string, string | undefined>;

/**
 * Writes keys, all or none, provided that the store is as it was at `version`.
 *
 * @returns `changed` where it is not; `refused` where it takes these keys at no time, as when it is full
 * @throws as {@link readVersion}
 */
export async function writeEntries(
  entries: Entries,
  { storeArn, etag }: StoreVersion,
  abortSignal: AbortSignal,
): Promise<"written" | "changed" | "refused"> {
  const all = [...entries];
  const Puts = all.flatMap(([Key, Value]) => (Value === undefined ? [] : [{ Key, Value }]));
  Puts.push({ Key: markKey, Value: randomUUID() });
  const Deletes = all.flatMap(([Key, Value]) => (Value === undefined ? [{ Key }] : []));
  try {
    await store().send(new UpdateKeysCommand({ KvsARN: storeArn, IfMatch: etag, Puts, Deletes }), { abortSignal });
    return "written";
  } catch (error) {
    if (error instanceof ServiceQuotaExceededException) return "refused";
    if (!(error instanceof ConflictException || error instanceof ValidationException)) throw error;
    // Which of the two a stale ETag gets is not documented (API Reference, "UpdateKeys"), so the ETag itself tells.
    return (await readVersion(storeArn, abortSignal)).etag === etag ? "refused" : "changed";
  }
}
