import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, BrowserContext } from "playwright-core";
import { newProject, sha256 } from "../../../test/support/service/steps.ts";
import { measureProcess } from "../harness/processes.ts";
import type { BenchService } from "./service.ts";

/** Network load of a visit. */
interface VisitLoad {
  readonly requests: number;
  /** Headers too. */
  readonly bytes: number;
}

/** Opens a game, and counts until it is loaded. */
export async function visitLoad(context: BrowserContext, url: string, isLoaded: string): Promise<VisitLoad> {
  const page = await context.newPage();
  try {
    const session = await context.newCDPSession(page);
    await session.send("Network.enable");
    const cached = new Set<string>();
    let [requests, bytes] = [0, 0];
    const count = (encoded: number) => {
      requests += 1;
      bytes += encoded;
    };
    session.on("Network.requestServedFromCache", ({ requestId }) => void cached.add(requestId));
    // A redirect is of the same request, and has no end of its own.
    session.on("Network.requestWillBeSent", ({ redirectResponse }) => {
      if (redirectResponse !== undefined) count(redirectResponse.encodedDataLength);
    });
    session.on("Network.responseReceived", ({ requestId, response }) => {
      if (response.fromDiskCache === true || response.url.startsWith("data:")) cached.add(requestId);
    });
    session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
      if (!cached.has(requestId)) count(encodedDataLength);
    });
    await page.goto(url);
    await page.waitForFunction(isLoaded, undefined, { timeout: 120_000 });
    return { requests, bytes };
  } finally {
    await page.close();
  }
}

const page = `<!doctype html><link rel=icon href=data:,><title>Loading</title><script type="module">
const bytes = await (await fetch("data.pck")).arrayBuffer();
document.title = [...new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))]
  .map((byte) => byte.toString(16).padStart(2, "0")).join("");
</script>`;

interface ChangedPack {
  readonly home: string;
  readonly svc: string;
  /** Bytes of the pack. */
  readonly size: number;
}

/** The part of a pack that a returning browser loads after an asset of 200 kB changed in it. */
export async function measureChangedAsset(
  service: BenchService,
  browser: Browser,
  { home, svc, size }: ChangedPack,
): Promise<number> {
  const ada = await service.actors.developer();
  const { credential } = await ada.token({ scopes: ["publish"] });
  const slug = await newProject(ada);
  const asset = Math.min(200_000, size / 200);
  const first = randomBytes(size);
  const second = Buffer.concat([first.subarray(0, size / 2), randomBytes(asset), first.subarray(size / 2 + asset)]);
  const folder = join(home, "pack");
  await mkdir(folder);
  await writeFile(join(folder, "index.html"), page);
  const svcPublish = async (bytes: Buffer) => {
    await writeFile(join(folder, "data.pck"), bytes);
    const env = { HOME: home, SVC_API: service.api, SVC_TOKEN: credential };
    await measureProcess({ words: [svc, "publish", folder, "--project", slug], env, cwd: home });
  };
  const context = await browser.newContext();
  try {
    const url = `http://${slug}.${service.gamesDomain}/`;
    const visit = (bytes: Buffer) => visitLoad(context, url, `document.title === "${sha256(bytes)}"`);
    await svcPublish(first);
    await visit(first);
    await svcPublish(second);
    return (await visit(second)).bytes / size;
  } finally {
    await context.close();
  }
}
