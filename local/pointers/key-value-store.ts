import { randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AmazonError } from "../amazon-server.ts";
import { EdgeCopy, type Update } from "./edge-copy.ts";

/** CloudFront Developer Guide, "Quotas on key value stores". */
const quotas = { storeBytes: 5_000_000, keyBytes: 512, valueBytes: 1_024, keysPerUpdate: 50 };

export interface KeyUpdate {
  readonly Puts?: readonly { readonly Key: string; readonly Value: string }[];
  readonly Deletes?: readonly { readonly Key: string }[];
}

/** One key-value store in memory, and on disk if it has a folder. */
export class KeyValueStore {
  readonly #file: string | undefined;
  readonly #values: Map<string, string>;
  readonly #updates: Update[] = [];
  /** Whether an update that deletes an absent key is refused: not documented, so tests try both. */
  refusesAbsentKeys = false;
  #etag = newEtag();
  #sizeBytes: number;

  constructor(folder?: string) {
    this.#file = folder && join(folder, "key-value-store.json");
    this.#values = new Map(this.#file === undefined ? [] : readEntries(this.#file));
    this.#sizeBytes = [...this.#values].reduce((sum, [key, value]) => sum + bytesOf(key, value), 0);
  }

  get state() {
    return { etag: this.#etag, itemCount: this.#values.size, sizeBytes: this.#sizeBytes };
  }

  /** Copy that one edge location has: each update reaches it after its delay. */
  edge(delayMilliseconds: number): EdgeCopy {
    return new EdgeCopy(this.#values, this.#updates, delayMilliseconds);
  }

  /** A page of its keys (CloudFront API Reference, "ListKeys"). */
  page(query: URLSearchParams) {
    const first = Number(query.get("NextToken") ?? 0);
    const next = first + Math.min(Number(query.get("MaxResults") ?? 10), 50);
    const Items = [...this.#values].slice(first, next).map(([Key, Value]) => ({ Key, Value }));
    return { Items, ...(next < this.#values.size && { NextToken: String(next) }) };
  }

  /**
   * Makes all changes or none. One that changes nothing keeps the ETag, as CloudFront does.
   *
   * @throws AmazonError
   */
  update(etag: string | undefined, { Puts = [], Deletes = [] }: KeyUpdate): void {
    if (etag !== this.#etag) throw invalid("Pre-Condition failed during update of Key-Value-Store");
    if (Puts.length + Deletes.length > quotas.keysPerUpdate) throw invalid("Too many keys");
    for (const { Key, Value } of Puts) refuseLarge(Key, Value);
    if (this.refusesAbsentKeys && Deletes.some(({ Key }) => !this.#values.has(Key)))
      throw new AmazonError("ResourceNotFoundException", 404, "The key does not exist");
    const changes = [
      ...Puts.map(({ Key, Value }) => [Key, Value] as const),
      ...Deletes.map(({ Key }) => [Key, undefined] as const),
    ].filter(([key, value]) => this.#values.get(key) !== value);
    if (new Set(changes.map(([key]) => key)).size < changes.length) throw invalid("A key is named twice");
    const growth = changes.reduce(
      (sum, [key, value]) => sum + bytesOf(key, value) - bytesOf(key, this.#values.get(key)),
      0,
    );
    if (growth > 0 && this.#sizeBytes + growth > quotas.storeBytes)
      throw new AmazonError("ServiceQuotaExceededException", 402, "The store is full");
    if (changes.length > 0) this.#apply(changes, growth);
  }

  #apply(changes: Update["changes"], growth: number): void {
    for (const [key, value] of changes) {
      if (value === undefined) this.#values.delete(key);
      else this.#values.set(key, value);
    }
    this.#sizeBytes += growth;
    this.#etag = newEtag();
    this.#updates.push({ at: Date.now(), changes });
    if (this.#file) writeFileSync(this.#file, JSON.stringify([...this.#values]));
  }
}

function readEntries(file: string): [string, string][] {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

function newEtag(): string {
  return `KV${randomUUID().replaceAll("-", "").toUpperCase()}`;
}

function bytesOf(key: string, value: string | undefined): number {
  return value === undefined ? 0 : Buffer.byteLength(key) + Buffer.byteLength(value);
}

function refuseLarge(key: string, value: string): void {
  if (key === "" || Buffer.byteLength(key) > quotas.keyBytes) throw invalid("The key has a wrong length");
  if (Buffer.byteLength(value) > quotas.valueBytes) throw invalid("The value is too long");
}

function invalid(message: string): AmazonError {
  return new AmazonError("ValidationException", 400, message);
}
