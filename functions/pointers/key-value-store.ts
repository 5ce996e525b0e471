import { randomUUID } from "node:crypto";
import { lookup } from "node:dns";
import { Agent } from "node:http";
import type { LookupFunction } from "node:net";
import {
  CloudFrontKeyValueStoreClient,
  DescribeKeyValueStoreCommand,
  paginateListKeys,
  ResourceNotFoundException,
  ServiceQuotaExceededException,
  UpdateKeysCommand,
} from "@aws-sdk/client-cloudfront-keyvaluestore";
// Signs for all regions, as the store demands; its import registers it with the client.
import "@aws-sdk/signature-v4a";
import * as environment from "../environment.ts";

/*
 * The key-value store at CloudFront's edge, which the viewer's functions read (edge/project/pointer.ts).
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

/** Bytes that the store holds, keys and values together (CloudFront Developer Guide, "Quotas on key value stores"). */
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

/** @throws the SDK's error if the store throttles, fails, denies, cannot be reached, or the signal aborts */
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
    keys.push(...Items.flatMap(({ Key = "" }) => (/^[a-z0-9]/.test(Key) ? [Key] : [])));
  return keys;
}

/** Entries that the store shall have, by key; undefined: it shall have no such key. */
export type Entries = ReadonlyMap<string, string | undefined>;

/**
 * The version after the write, which the next write can name without reading it. `changed`: the store is not as it was read. `full`: it has
 * no room. `refused`: it takes these keys at no time.
 */
export type WriteOutcome = StoreVersion | "changed" | "full" | "refused";

/**
 * Writes keys, all or none, provided that the store is as it was at `version`. It is not documented whether a write may delete
 * absent keys (API Reference, "UpdateKeys"); one that deletes a single absent key succeeds.
 *
 * @throws as {@link readVersion}
 */
export async function writeEntries(
  entries: Entries,
  version: StoreVersion,
  abortSignal: AbortSignal,
): Promise<WriteOutcome> {
  try {
    return await updateKeys(entries, version, abortSignal);
  } catch (error) {
    if (error instanceof ServiceQuotaExceededException) return "full";
    if (!isRefusal(error)) throw error;
    // The error of a stale ETag is not documented either, so the ETag itself tells.
    if ((await readVersion(version.storeArn, abortSignal)).etag !== version.etag) return "changed";
    const isAbsent =
      error instanceof ResourceNotFoundException && entries.size === 1 && [...entries.values()][0] === undefined;
    // Without a change of the ETag a writer that has read before would bring the key back.
    return isAbsent ? await writeEntries(new Map(), version, abortSignal) : "refused";
  }
}

async function updateKeys(
  entries: Entries,
  { storeArn, etag }: StoreVersion,
  abortSignal: AbortSignal,
): Promise<StoreVersion> {
  const all = [...entries];
  const Puts = all.flatMap(([Key, Value]) => (Value === undefined ? [] : [{ Key, Value }]));
  Puts.push({ Key: markKey, Value: randomUUID() });
  const Deletes = all.flatMap(([Key, Value]) => (Value === undefined ? [{ Key }] : []));
  const command = new UpdateKeysCommand({ KvsARN: storeArn, IfMatch: etag, Puts, Deletes });
  const { ETag = "", TotalSizeInBytes = 0 } = await store().send(command, { abortSignal });
  return { storeArn, etag: ETag, sizeBytes: TotalSizeInBytes };
}

/** Whether an error is about the request's content: neither throttled nor denied. */
function isRefusal(error: unknown): boolean {
  const { $fault, $metadata } = error as { $fault?: string; $metadata?: { httpStatusCode?: number } };
  return $fault === "client" && ![403, 429].includes($metadata?.httpStatusCode ?? 0);
}
