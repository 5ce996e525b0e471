import { fileURLToPath } from "node:url";
import { afterAll, beforeAll } from "@jest/globals";
import { build } from "esbuild";
import type { Page } from "playwright-core";
import type { NetworkError } from "../../../contract/api-error.ts";
import type { Sender, UploadContent } from "../../../publisher/ports.ts";
import { startHttpServer } from "../../support/network/http-server.ts";
import { duringTests } from "../../support/service/suite.ts";
import { fileBytes, type GivenPut, type PutResult, testSender } from "../../support/store/sender-suite.ts";
import { launchChromium } from "../chromium.ts";

/* The page's sender in a real browser, for which the store is another origin. */

const page = duringTests(() =>
  startHttpServer((_, response) => response.setHeader("content-type", "text/html").end("<title>Page</title>")),
);
let tab: Page;
let close: () => Promise<void>;

beforeAll(async () => {
  const browser = await launchChromium();
  close = () => browser.close();
  tab = await browser.newPage();
  await tab.goto(page.endpoint);
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("../../../dashboard/src/publish/sender.ts", import.meta.url))],
    ...{ bundle: true, write: false, format: "iife", globalName: "senders" },
  });
  await tab.addScriptTag({ content: `${outputFiles[0]?.text}\nwindow.fileBytes = ${fileBytes}` });
});
afterAll(() => close?.());

declare const senders: { createSender(options: object, signal: AbortSignal): Sender<UploadContent> };

testSender((given) => tab.evaluate(put, given));

/** Runs in the page. */
async function put(given: GivenPut): Promise<PutResult> {
  const { size, range, url, headers, stalledMilliseconds, abortAfterMilliseconds, isInMemory } = given;
  const stop = new AbortController();
  const bytesOf = async () => new Blob([fileBytes(size)], { type: "text/html" });
  const options = { bytesOf, stalledMilliseconds, patience: { onResponse: () => {} } };
  const sender = senders.createSender(options, stop.signal);
  if (abortAfterMilliseconds) setTimeout(() => stop.abort(), abortAfterMilliseconds);
  const sent: number[] = [];
  try {
    const file = { path: "game.bin", sha256: "", size };
    const send = isInMemory ? sender.openBytes(await sender.read(file)) : sender.open(file);
    return { response: await send(range, { url, headers }, (bytes) => sent.push(bytes)), sent };
  } catch (failure) {
    const { name, isTransient } = failure as NetworkError;
    return { rejection: { name, isTransient }, sent };
  }
}
