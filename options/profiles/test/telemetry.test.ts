import { beforeEach, describe, expect, test } from "@jest/globals";
import { actorsOf } from "../../../test/support/service/actors.ts";
import { useOwner, useService } from "../../../test/support/service/suite.ts";
import { setAttribute } from "../../../test/support/table/stored.ts";
import { profileKeys } from "../functions/keys.ts";
import { marks, openPage, type TelemetryPage } from "./support/telemetry-page.ts";

const service = useService();
const actors = actorsOf(service);
const ada = useOwner(service);
let page: TelemetryPage;
beforeEach(async () => {
  page = await openPage(service, ada, ada.slug);
});

const profile = async () => (await ada.get(`/projects/${ada.slug}/profiles/${page.id}`)).body;
const records = async () => (await profile()).records;

describe("sending", () => {
  test("adds records in their order", async () => {
    expect(await page.send(0, marks(3))).toMatchObject({ status: 200, body: { received: 3 } });
    expect(await page.send(3, marks(2, 3))).toMatchObject({ status: 200, body: { received: 5 } });
    expect(await records()).toEqual(marks(5));
  });

  test("again what was sent already adds nothing, and of an overlap only what is new", async () => {
    const { body: first } = await page.send(0, marks(3));
    expect((await page.send(0, marks(3))).body).toEqual(first);
    expect((await page.send(1, marks(1, 1))).body).toEqual(first);
    expect((await page.send(1, marks(4, 1))).body.received).toBe(5);
    expect(await records()).toEqual(marks(5));
  });

  test("counts the records as JSON and 256 bytes for each request that adds some", async () => {
    const all = marks(3);
    const size = Buffer.byteLength(JSON.stringify(all.slice(0, 2))) + Buffer.byteLength(JSON.stringify(all.slice(2)));
    await page.send(0, all.slice(0, 2));
    await page.send(2, all.slice(2));
    const { body } = await page.send(2, all.slice(2));
    expect(body.bytes_left).toBe(2_097_152 - size - 512);
    expect((await profile()).profile.bytes).toBe(size + 512);
  });

  test("refuses what leaves a gap, and adds nothing", async () => {
    await page.send(0, marks(2));
    expect(await page.send(3, marks(1, 3))).toMatchObject({ status: 409, body: { code: "profile_conflict" } });
    expect(await page.again().send(1, marks(1))).toMatchObject({ status: 409, body: { code: "profile_conflict" } });
    expect(await records()).toEqual(marks(2));
  });

  test("goes on with the page that was opened last; the one before is refused from then on", async () => {
    const other = page.again();
    await page.send(0, marks(2));
    expect((await other.send(0, [])).body.received).toBe(0);
    expect((await other.send(0, marks(1, 2))).body.received).toBe(1);
    for (const late of [page.send(2, marks(1)), page.send(0, marks(2))])
      expect(await late).toMatchObject({ status: 409, body: { code: "profile_conflict" } });
    expect(await records()).toEqual(marks(3));
  });

  test("opens at most 20 pages with one grant", async () => {
    for (let opened = 0; opened < 20; opened += 1) expect((await page.again().send(0, [])).status).toBe(200);
    expect(await page.again().send(0, [])).toMatchObject({ status: 409, body: { code: "profile_full" } });
  });

  test("notes which device measured first", async () => {
    const seen = { type: "device", at: 0, browser: "Chromium 140", graphics: "Mali-G78", width: 360, height: 800 };
    const device = { ...seen, density: 2.5, cores: 8, isolated: false, lacks: ["memory"] };
    await page.send(0, [device]);
    await page.send(1, [{ ...device, browser: "Firefox 150" }]);
    expect((await profile()).profile.device).toBe("Chromium 140, Mali-G78");
  });

  test("is refused when 2 MiB are reached, and what is there stays", async () => {
    const big = () => [{ type: "frames", at: 0, durations: Array.from({ length: 1_000 }, () => 16.123456789012) }];
    const key = profileKeys.profile(ada.slug, page.id);
    const { body } = await page.send(0, big());
    const each = 2_097_152 - body.bytes_left;
    await setAttribute(service, key, "bytes", 2_097_152 - each);
    expect((await page.send(1, big())).body).toEqual({ received: 2, bytes_left: 0 });
    expect(await page.send(2, marks(1))).toMatchObject({ status: 409, body: { code: "profile_full" } });
    expect((await page.send(1, big())).status).toBe(200);
    expect((await profile()).profile.bytes).toBe(2_097_152);
    expect(await records()).toHaveLength(2);
  });
});

const frames = { type: "frames", at: 0, durations: [16.7] };
const pointersOf = (body: { errors: { pointer: string }[] }) => body.errors.map(({ pointer }) => pointer);

test("a record of which a field is wrong is refused, and nothing is added", async () => {
  const script = { source: "", function: "", invoker: "", duration: 1 };
  const longFrame = { type: "long_frame", at: 0, duration: 60, blocking: 10 };
  const refused: [object, string][] = [
    [{ type: "eval", at: 0 }, "/records/0/type"],
    [{ ...frames, owner: true }, "/records/0"],
    [{ ...frames, at: -1 }, "/records/0/at"],
    [{ ...frames, at: 86_400_001 }, "/records/0/at"],
    [{ ...frames, durations: ["16.7"] }, "/records/0/durations/0"],
    [{ ...frames, durations: [null] }, "/records/0/durations/0"],
    [{ ...frames, durations: [] }, "/records/0/durations"],
    [{ ...frames, durations: Array(1_001).fill(1) }, "/records/0/durations"],
    [{ type: "mark", at: 0, name: "x".repeat(81) }, "/records/0/name"],
    [{ type: "mark", at: 0, name: "\ud800" }, "/records/0/name"],
    [{ type: "mark", at: 0, name: [[[[[]]]]] }, "/records/0/name"],
    [{ ...longFrame, scripts: Array(6).fill(script) }, "/records/0/scripts"],
  ];
  for (const [record, pointer] of refused) {
    const { status, body } = await page.send(0, [record]);
    expect({ pointer, status, code: body.code }).toEqual({ pointer, status: 422, code: "validation_failed" });
    expect(pointersOf(body)).toContainEqual(expect.stringContaining(pointer));
  }
  expect(await records()).toEqual([]);
});

test("a request of which a field is wrong is refused, and nothing is added", async () => {
  const refused: [object, string][] = [
    [{ page: "0".repeat(15) }, "/page"],
    [{ page: "0".repeat(65) }, "/page"],
    [{ page: `${"0".repeat(16)}/` }, "/page"],
    [{ page: undefined }, "/page"],
    [{ first: -1 }, "/first"],
    [{ first: 0.5 }, "/first"],
    [{ owner: true }, "/owner"],
  ];
  for (const [fields, pointer] of refused) {
    const { status, body } = await actors.bearer(page.grant).send("POST", "/telemetry", {
      headers: { "content-type": "application/json", origin: page.origin },
      body: JSON.stringify({ page: "0".repeat(16), first: 0, records: marks(2), ...fields }),
    });
    expect({ pointer, status, code: body.code }).toEqual({ pointer, status: 422, code: "validation_failed" });
    expect(pointersOf(body)).toContainEqual(expect.stringContaining(pointer));
  }
  expect(await records()).toEqual([]);
});

test("a number that JSON cannot hold, and too much in one request, are refused", async () => {
  const send = (text: string) =>
    actors.bearer(page.grant).send("POST", "/telemetry", {
      headers: { "content-type": "application/json", origin: page.origin },
      body: text,
    });
  const body = (durations: string) =>
    `{"page":"0123456789abcdef","first":0,"records":[{"type":"frames","at":0,"durations":[${durations}]}]}`;
  expect((await send(body("1e999"))).status).toBe(422);
  expect((await send(body("NaN"))).status).toBe(400);
  expect((await page.send(0, marks(1_001))).status).toBe(422);
  const long = Array.from({ length: 130 }, () => ({
    type: "error",
    at: 0,
    message: "x".repeat(450),
    source: "",
    line: 1,
  }));
  expect((await page.send(0, long)).status).toBe(422);
  expect((await page.send(0, long.slice(0, 100))).status).toBe(200);
});
