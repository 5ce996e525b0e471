import { randomBytes } from "node:crypto";
import { basename } from "node:path";
import { expect, test } from "@jest/globals";
import type { Request } from "playwright-core";
import { createCliUser, publishResult } from "../../support/cli/cli.ts";
import { newSlug } from "../../support/service/steps.ts";
import { drop } from "./drop.ts";
import { folders } from "./folders.ts";
import { visitor } from "./visitor.ts";

/* Responses of the store while a person publishes on the dashboard, and the person's acts meanwhile. */

const v = visitor();
const games = folders();
/** Milliseconds: a busy machine takes some time to find that random bytes cannot be compressed. */
const longest = 300_000;

/** The folder of a game that nobody has sent, on the page of a new project. */
async function openProject(): Promise<string> {
  v.page.setDefaultTimeout(90_000);
  const slug = newSlug();
  await v.ada.post("/projects", { slug, name: "Bounce" });
  await v.enter(`projects/${slug}`);
  await v.page.getByRole("region", { name: "Publish" }).waitFor();
  return games.write(slug, { "index.html": `Of ${slug}` });
}

async function dropAndPublish(folder: string): Promise<void> {
  await drop(v.page, folder);
  await v.button("Publish").click();
}

async function cancel(): Promise<void> {
  await v.page.getByText("Uploading…").waitFor();
  await v.page.keyboard.press("Escape");
  await v.button("Cancel").click();
  await v.page.getByRole("dialog").waitFor({ state: "detached" });
}

const isLive = () => v.page.getByText("It is live.").waitFor();

/** S3's error document, which the page may read. */
function refusal(status: number, code: string) {
  return { status, headers: { "access-control-allow-origin": "*" }, body: `<Error><Code>${code}</Code></Error>` };
}

test("a store that does not respond is named after half a minute, and tried again at once when the person says so", async () => {
  await v.page.clock.install();
  const folder = await openProject();
  await v.page.route(`${v.service.s3Endpoint}/**`, (route) => route.abort());
  await dropAndPublish(folder);
  await v.page.getByText("The connection is lost.").waitFor();
  const { host } = new URL(v.service.s3Endpoint);
  const named = v.page.getByText(`${host}, where the files go, does not respond.`);
  expect(await named.count()).toBe(0);
  await v.page.clock.fastForward("00:31");
  await named.waitFor();
  await v.page.unroute(`${v.service.s3Endpoint}/**`);
  await v.button("Try again now").click();
  await isLive();
});

/** The request by which the parts of a large file are sent and completed. */
const ofParts = /\/uploads\/[0-9a-f]{64}$/;
const aPart = /[?&]partNumber=/;
const isPart = (request: Request) => request.method() === "PUT" && aPart.test(request.url());

/** Above 16 MiB: five parts, the last of one byte. It is sent as a video, which nobody tries to compress. */
const world = randomBytes(20 * 1024 * 1024 + 1);

test("an upload that is cancelled while the store takes its bytes is begun again by the same folder", async () => {
  const folder = await openProject();
  await v.page.route(`${v.service.s3Endpoint}/**`, (route) =>
    route.request().method() === "OPTIONS" ? route.continue() : undefined,
  );
  await dropAndPublish(folder);
  await cancel();
  await v.page.unrouteAll();
  await dropAndPublish(folder);
  await isLive();
});

test(
  "a large file goes on where it was after a reload, and is played byte for byte",
  async () => {
    const folder = await openProject();
    games.write(basename(folder), { "world.mp4": world });
    const parts: number[] = [];
    let expired = 0;
    let lost = 0;
    let isKept = (number: number) => number > 3;
    await v.page.route(aPart, async (route) => {
      const number = Number(new URL(route.request().url()).searchParams.get("partNumber"));
      if (!isPart(route.request())) return route.continue();
      parts.push(number);
      if (isKept(number)) return;
      if (number === lost) await route.fetch();
      if (number !== lost && number !== expired) return route.continue();
      if (number === expired) expired = 0;
      return route.fulfill(refusal(403, "AccessDenied"));
    });
    let stored = 0;
    const three = v.page.waitForResponse((response) => isPart(response.request()) && ++stored === 3);
    await dropAndPublish(folder);
    await three;
    await v.page.reload();
    await v.page.getByRole("region", { name: "Publish" }).waitFor();
    isKept = () => false;
    parts.length = 0;
    expired = 5;
    lost = 4;
    let asked = 0;
    v.page.on("request", (request) => {
      if (request.method() === "POST" && ofParts.test(request.url())) asked += 1;
    });
    await dropAndPublish(folder);
    await isLive();
    // The fourth is stored, and only the response is lost; the fifth goes to a new URL. Asked for at the beginning, for each of
    // the two, and to complete the file.
    expect({ parts: parts.toSorted(), asked }).toEqual({ parts: [4, 5, 5], asked: 4 });
    const response = await fetch(`${v.service.api}/projects/${basename(folder)}/files/world.mp4`);
    expect(Buffer.compare(Buffer.from(await response.arrayBuffer()), world)).toBe(0);
  },
  longest,
);

test(
  "a large file that changed a little is sent in little, whoever sent it before and does now",
  async () => {
    const mebibyte = 1024 * 1024;
    const folder = await openProject();
    const slug = basename(folder);
    const { credential } = await v.ada.token({ scopes: ["publish"] });
    let puts = 0;
    v.page.on("request", (request) => {
      if (isPart(request)) puts += 1;
    });
    let bytes = Buffer.from(world);
    games.write(slug, { "world.mp4": bytes });
    await dropAndPublish(folder);
    await isLive();
    await v.page.keyboard.press("Escape");
    const change = () => {
      // At the head, so that all bytes behind it are elsewhere.
      bytes = Buffer.concat([randomBytes(1_000), bytes]);
      games.write(slug, { "world.mp4": bytes });
    };

    change();
    const job = createCliUser();
    const env = { SVC_API: v.service.api, SVC_TOKEN: credential };
    const { sent } = publishResult(await job.run(["publish", folder, "--project", slug, "--json"], { env }));
    job.leave();
    expect(sent.bytes).toBeLessThan(5.5 * mebibyte);

    change();
    puts = 0;
    await drop(v.page, folder);
    await v.page.getByText(/ MiB of 2\d(\.\d)? MiB are to send; the rest is on the server\.$/).waitFor();
    await v.button("Publish").click();
    await isLive();
    await v.page.getByText(/ Sent [5-9](\.\d)? MiB of 2\d(\.\d)? MiB; the rest is on the server\.$/).waitFor();
    expect(puts * 5).toBeLessThan(5.5);
    const response = await fetch(`${v.service.api}/projects/${slug}/files/world.mp4`);
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
  },
  longest,
);
