import type { Page } from "playwright-core";
import { godotIsLoaded } from "./godot-release.ts";

/** Time and bytes that a page of a Godot release took to load. */
export interface PageLoad extends Readonly<Record<string, number>> {
  readonly milliseconds: number;
  /** As they came over the connection. */
  readonly bytes: number;
  readonly engineBytes: number;
}

/** Loads a game that `godotIsLoaded` knows, at 20 Mbit/s with 40 ms. */
export async function loadOf(page: Page, url: string): Promise<PageLoad> {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  const throughput = (20 * 1_000_000) / 8;
  const network = { offline: false, latency: 40, downloadThroughput: throughput, uploadThroughput: throughput };
  await session.send("Network.emulateNetworkConditions", network);
  const started = performance.now();
  await page.goto(url);
  await page.waitForFunction(godotIsLoaded, undefined, { timeout: 120_000 });
  const milliseconds = performance.now() - started;
  const sizes = `[...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
    .map(({ name, encodedBodySize }) => [name, encodedBodySize])`;
  const entries = (await page.evaluate(sizes)) as [string, number][];
  const sum = (list: readonly [string, number][]) => list.reduce((total, [, size]) => total + size, 0);
  return { milliseconds, bytes: sum(entries), engineBytes: sum(entries.filter(([name]) => name.endsWith(".wasm"))) };
}
