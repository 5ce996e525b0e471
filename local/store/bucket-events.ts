import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { listObjects } from "../../functions/files/store.ts";
import { invokeJob } from "../gateway/functions.ts";
import type { Part } from "../part.ts";

/*
 * The bucket's events, and the queues and functions that they reach in a stage (infra/background/copies.ts): here one function, which gets all that has
 * come since its last run.
 */

const job = "check-copies";
/** Objects below it ask for something. */
const requests = "checks/";
const retryMilliseconds = 1_000;
/** A store of somebody else tells nothing, so it is asked. */
const pollMilliseconds = 200;
const pageSize = 1_000;

/** Events of one bucket. */
export class BucketEvents {
  #keys: string[] = [];
  #wake = Promise.withResolvers<void>();
  readonly #stopping = new AbortController();

  /** To be called when an object was written. */
  written(key: string): void {
    this.#keys.push(key);
    this.#wake.resolve();
  }

  /**
   * Starts to run the function. What was asked for before comes first: an earlier service may not have done it.
   *
   * @param isSilent whether nobody calls `written`
   */
  start(isSilent: boolean): Pick<Part, "stop"> {
    const running = Promise.all([this.#run(), this.#poll(isSilent)]);
    return {
      stop: async () => {
        this.#stopping.abort();
        this.#wake.resolve();
        await running;
      },
    };
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      await this.#wake.promise;
      this.#wake = Promise.withResolvers();
      const keys = this.#keys.splice(0);
      if (keys.length === 0 || this.#stopping.signal.aborted) continue;
      const failed = await this.#handle(keys);
      if (failed.length === 0) continue;
      await delay(retryMilliseconds, undefined, { ref: false });
      for (const key of failed) this.written(key);
    }
  }

  /** @returns keys that are to come again */
  async #handle(keys: readonly string[]): Promise<readonly string[]> {
    const messages = new Map<string, string>(keys.map((key) => [randomUUID(), key]));
    const Records = [...messages].map(([messageId, key]) => ({
      messageId,
      body: JSON.stringify({ Records: [{ s3: { object: { key: encodeURIComponent(key) } } }] }),
    }));
    try {
      const { batchItemFailures } = await invokeJob(job, { Records });
      return batchItemFailures.flatMap(({ itemIdentifier }) => messages.get(itemIdentifier) ?? []);
    } catch (error) {
      console.error(`${job} failed, and is tried again:`, error);
      return keys;
    }
  }

  async #poll(isSilent: boolean): Promise<void> {
    const keys = new Set<string>();
    do {
      try {
        for (const key of await keysOfRequests()) {
          if (!keys.has(key)) this.written(key);
          keys.add(key);
        }
      } catch (error) {
        console.error("The store's requests cannot be listed, and are listed again:", error);
      }
      await delay(isSilent ? pollMilliseconds : 0, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
    } while (isSilent && !this.#stopping.signal.aborted);
  }
}

async function keysOfRequests(): Promise<string[]> {
  const keys: string[] = [];
  for (let startAfter = ""; ; ) {
    const { objects, isTruncated } = await listObjects({ prefix: requests, startAfter, maximum: pageSize });
    keys.push(...objects.map(({ key }) => key));
    const last = objects.at(-1);
    if (!isTruncated || last === undefined) return keys;
    startAfter = last.key;
  }
}
