import { randomBytes } from "node:crypto";
import { afterEach, expect, test } from "@jest/globals";
import { publishResult } from "../../support/cli/cli.ts";
import { usePublishingUser } from "../../support/service/publishing-user.ts";
import { startRecordedService } from "../../support/service/recorded-service.ts";
import { duringTests } from "../../support/service/suite.ts";
import { type StoreRequest, startRecordedStore } from "../../support/store/store-recorder.ts";

/*
 * A game of many small files, published by the command line: docs/decisions/0079-packs.md.
 */
const store = duringTests(() => startRecordedStore());
const service = duringTests(() => startRecordedService({ env: { S3_ENDPOINT: store.endpoint } }));
const user = usePublishingUser(service);
afterEach(() => store.plan(undefined));

/** Scripts, which get Brotli copies, and pictures, which do not. */
function game(name: string): Record<string, Buffer | string> {
  const files = Array.from({ length: 300 }, (_, index): [string, Buffer | string] =>
    index % 3 === 0
      ? [`pictures/${index}.png`, randomBytes(2_000)]
      : [`scripts/${index}.js`, `export const level = "${name} ${index}";\n`.repeat(50)],
  );
  return Object.fromEntries([["index.html", `<h1>${name}</h1>`], ...files]);
}

const isPack = ({ kind, path }: StoreRequest) => kind === "put" && path.includes("/packs/");
const written = (requests: readonly StoreRequest[]) =>
  requests.filter(({ kind, path }) => kind === "put" && path.includes("/files/"));

async function publish() {
  let result: Awaited<ReturnType<typeof user.publish>> = { stdout: "" } as never;
  const requests = await store.during(async () => {
    result = await user.publish();
  });
  return { requests, result: publishResult(result) };
}

test("many small files are sent in a few packs, played as they are, and a changed one is sent alone", async () => {
  const files = game("first");
  user.write(files);
  const { requests, result } = await publish();
  expect(result).toMatchObject({ event: "published", files: 301, sent: { files: 301, variants: 200 } });
  expect(requests.filter(isPack)).toHaveLength(1);
  expect(written(requests)).toHaveLength(501);
  const all = Object.values(files).reduce((sum, bytes) => sum + bytes.length, 0);
  // The copies of the scripts alone, and the pictures.
  expect(result.sent.bytes).toBeLessThan(all / 2);
  await user.expectLive(files);
  user.write({ "scripts/1.js": "export const level = 0;\n".repeat(60) });
  const changed = await publish();
  expect(changed.result).toMatchObject({ event: "published", sent: { files: 1, variants: 1 } });
  expect(changed.requests.filter(isPack)).toEqual([]);
}, 120_000);

test("what is there of an interrupted publication is in no pack of the next one", async () => {
  const files = game("second");
  user.write(files);
  let puts = 0;
  store.plan((request) => {
    if (written([request]).length === 0) return undefined;
    puts += 1;
    return puts > 200 ? 403 : undefined;
  });
  const first = await store.during(async () => expect((await user.publish()).code).not.toBe(0));
  expect(first.filter(isPack)).toHaveLength(1);
  store.plan(undefined);
  const { requests, result } = await publish();
  expect(result).toMatchObject({ event: "published", files: 301 });
  expect(result.sent.files + result.sent.variants).toBeLessThanOrEqual(501 - 200);
  expect(written(requests).length).toBeLessThanOrEqual(501 - 200);
  await user.expectLive(files);
}, 120_000);
