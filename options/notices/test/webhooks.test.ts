import { readFileSync } from "node:fs";
import { beforeEach, describe, expect, jest, test } from "@jest/globals";
import type { Context } from "aws-lambda";
import { keys } from "../../../functions/table/keys.ts";
import { actorsOf, type Developer } from "../../../test/support/service/actors.ts";
import { addMember } from "../../../test/support/service/operations.ts";
import { handOver, makeLive, newProject, publish } from "../../../test/support/service/steps.ts";
import { duringTests, useFunctionEnvironment, useService } from "../../../test/support/service/suite.ts";
import { storedItem } from "../../../test/support/table/stored.ts";
import { time } from "../../../test/support/wire-time.ts";
import { deliverNotices } from "../functions/delivery.ts";
import { deliverToWebhooks } from "../functions/webhook-delivery.ts";
import { requestOf, testMessage } from "../functions/webhook-message.ts";
import { sendWebhook } from "../functions/webhook-request.ts";
import { handler } from "../jobs/deliver-webhooks.ts";
import { isSignedBy, startReceiver } from "./support/receiver.ts";

/* What webhooks are told, how often, and what a project's owner sees of it. */

const local = { SVC_WEBHOOKS_LOCAL: "1" };
const service = useService({ env: local });
const receiver = duringTests(startReceiver);
useFunctionEnvironment(service, () => ({
  ...local,
  SVC_STAGE: "local",
  GAMES_DOMAIN: "games.example.com",
  DASHBOARD_ORIGIN: "https://dashboard.example.com",
}));
const actors = actorsOf(service);
const minute = 60_000;
const day = 1_440 * minute;

let ada: Developer;
let slug: string;
let path: string;
let secret: string;

beforeEach(async () => {
  // What waits of other tests.
  await deliver();
  ada = await actors.developer();
  slug = await newProject(ada);
  const { body } = await ada.post(`/projects/${slug}/webhooks`, { url: receiver.url });
  secret = body.secret;
  path = `/projects/${slug}/webhooks/${body.webhook.id}`;
  receiver.respondWith(204);
  receiver.messages.length = 0;
});

const start = Date.now();
/** Sends what is due at a time. */
const deliver = async (milliseconds = Date.now() - start) =>
  await deliverToWebhooks({ send: sendWebhook, now: new Date(start + milliseconds + 1), hasTime: () => true });
const publishing = (number = 1) => publish(ada, slug, { "index.html": String(number) });
const deliveries = async () => (await ada.get(`${path}/deliveries`)).body.deliveries;
const shown = async () => (await ada.get(`/projects/${slug}/webhooks`)).body.webhooks[0];

describe("a webhook", () => {
  test("has a secret that is shown once, and a URL of which the end is shown", async () => {
    const { body, status } = await ada.post(`/projects/${slug}/webhooks`, {
      url: "https://discord.com/api/webhooks/1/very-secret-x7Qa",
    });
    expect(status).toBe(201);
    const webhook = {
      id: expect.any(String),
      url: "https://discord.com/…x7Qa",
      enabled: true,
      failing_since: null,
      switched_off_at: null,
      created_at: time,
    };
    expect(body).toEqual({ webhook, secret: expect.stringMatching(/^whsec_/) });
    const list = await ada.get(`/projects/${slug}/webhooks`);
    expect(list.body.webhooks[1]).toEqual(webhook);
    expect(JSON.stringify(list.body)).not.toContain("very-secret");
  });

  test("is refused at a URL that is not public or not secret", async () => {
    for (const url of [
      "http://receiver.example.com/",
      "https://127.0.0.1/",
      "https://[::1]/",
      "https://2130706433/",
      "https://localhost/",
      "https://ada@example.com/",
      "http://localhost.example.com/",
      "http://localhost@example.com/",
      "ftp://example.com/",
      `https://example.com/${"a".repeat(500)}`,
    ]) {
      const { status, body } = await ada.post(`/projects/${slug}/webhooks`, { url });
      expect({ url, refused: [status, body.code, body.errors[0].pointer] }).toEqual({
        url,
        refused: [422, "validation_failed", "/url"],
      });
    }
  });

  test("is one of at most five", async () => {
    const add = () => ada.post(`/projects/${slug}/webhooks`, { url: "https://example.com/1" });
    const results = await Promise.all(Array.from({ length: 6 }, add));
    expect(results.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 201, 409, 409]);
    expect((await ada.get(`/projects/${slug}/webhooks`)).body.webhooks).toHaveLength(5);
    expect((await add()).body.code).toBe("webhook_limit_reached");
  });

  test("goes with a hand-over, and does not come back", async () => {
    const grace = await ada.otherDeveloper();
    await handOver(ada, slug, grace);
    expect((await grace.get(`/projects/${slug}/webhooks`)).body.webhooks).toEqual([]);
    expect(await storedItem(service, keys.project(slug))).not.toHaveProperty("webhooks");
  });
});

describe("a change", () => {
  test("is told at once, signed, with who and how, and no more than once if it arrives", async () => {
    const token = await ada.token({ name: "build server" });
    const live = await publish(token, slug, { "index.html": "1" });
    await deliver();
    await deliver();
    const [message, ...more] = receiver.messages;
    expect(more).toEqual([]);
    expect(message && isSignedBy(secret, message)).toBe(true);
    expect(message?.headers).toMatchObject({ "content-type": "application/json", "webhook-id": expect.any(String) });
    const { body } = await ada.get(`/projects/${slug}/events`);
    expect(body.events[0]).toMatchObject({ id: message?.headers["webhook-id"], type: "release_published" });
    expect(JSON.parse(message?.body ?? "")).toEqual({
      type: "release_published",
      timestamp: body.events[0].at,
      data: {
        project: slug,
        project_name: expect.any(String),
        play_url: `https://${slug}.games.example.com/`,
        project_url: `https://dashboard.example.com/projects/${slug}`,
        release_url: `https://dashboard.example.com/projects/${slug}/releases/${live}`,
        credential: "token",
        client: "other",
        act: "publication",
        release: { id: expect.any(String), number: 1 },
        by: { uid: ada.uid, name: "Ada Lovelace" },
        token_name: "build server",
      },
    });
    expect(await deliveries()).toEqual([
      expect.objectContaining({ status: "delivered", attempts: 1, response_status: 204, error: null, next_at: null }),
    ]);
  });

  test("is told to each webhook that is on", async () => {
    const [other, off] = [await startReceiver(), await startReceiver()];
    await ada.post(`/projects/${slug}/webhooks`, { url: other.url });
    const { body } = await ada.post(`/projects/${slug}/webhooks`, { url: off.url });
    await ada.patch(`/projects/${slug}/webhooks/${body.webhook.id}`, { enabled: false });
    await publishing();
    await ada.post(`/projects/${slug}/unpublish`);
    await deliver();
    for (const { messages } of [receiver, other])
      expect(messages.map((message) => JSON.parse(message.body).type)).toEqual([
        "release_published",
        "release_unpublished",
      ]);
    expect(off.messages).toEqual([]);
    await Promise.all([other.stop(), off.stop()]);
  });

  test("is told of roll-backs, and that a person makes live", async () => {
    const first = await publishing(1);
    await publishing(2);
    await makeLive(ada, slug, first);
    await ada.patch(`/projects/${slug}`, { person_makes_live: true });
    await deliver();
    expect(receiver.messages.map(({ body }) => [JSON.parse(body).type, JSON.parse(body).data.act])).toEqual([
      ["release_published", "publication"],
      ["release_published", "publication"],
      ["release_published", "roll_back"],
      ["person_required", undefined],
    ]);
  });

  test("is not told of a deleted project", async () => {
    await publishing();
    await ada.delete(`/projects/${slug}`);
    await deliver();
    expect(receiver.messages).toEqual([]);
  });

  test("is a line for people in a chat, where a name mentions nobody", () => {
    const webhook = { id: "1", key: "MfKQ", createdAt: "" };
    const project = { slug, name: "@everyone <b>" } as Parameters<typeof testMessage>[0];
    const message = testMessage(project, new Date());
    const bodyAt = (url: string) => JSON.parse(requestOf({ ...webhook, url }, message, new Date()).body);
    const text = '"_everyone _b_": this is a test. Changes of the game are told here from now on.';
    expect(bodyAt("https://discord.com/api/webhooks/1/a")).toEqual({ content: text, allowed_mentions: { parse: [] } });
    expect(bodyAt("https://hooks.slack.com/services/1")).toEqual({ text });
  });
});

describe("a delivery that does not arrive", () => {
  test.each([500, 302])(
    "by the status %i is sent again with the same bytes and id, and pauses grow",
    async (status) => {
      receiver.respondWith(status);
      await publishing();
      const from = Date.now() - start;
      for (const at of [0, 2, 8, 24]) await deliver(from + at * minute);
      expect(receiver.messages.map(({ path: asked }) => asked)).toEqual(Array(4).fill("/hooks/1"));
      expect(new Set(receiver.messages.map(({ body, headers }) => `${headers["webhook-id"]} ${body}`)).size).toBe(1);
      for (const message of receiver.messages) expect(isSignedBy(secret, message)).toBe(true);
      expect(await deliveries()).toEqual([
        expect.objectContaining({ status: "waiting", attempts: 4, response_status: status, next_at: time }),
      ]);
      // The next pause is half an hour.
      await deliver(from + 50 * minute);
      expect(receiver.messages).toHaveLength(4);
      receiver.respondWith(204);
      await deliver(from + 55 * minute);
      expect(await deliveries()).toEqual([expect.objectContaining({ status: "delivered", attempts: 5 })]);
      expect((await shown()).failing_since).toBeNull();
    },
  );

  test("is given up after a day", async () => {
    receiver.respondWith(500);
    await publishing();
    const from = Date.now() - start;
    for (let at = 0; at <= 2 * day; at += 60 * minute) await deliver(from + at);
    const [delivery] = await deliveries();
    expect(delivery).toMatchObject({ status: "failed", next_at: null });
    expect(Date.parse(delivery.attempted_at) - start - from).toBeGreaterThan(0.6 * day);
    expect(Date.parse(delivery.attempted_at) - start - from).toBeLessThanOrEqual(day);
  });

  test("lets the others of its webhook wait, and those of no other", async () => {
    const other = await startReceiver();
    await ada.post(`/projects/${slug}/webhooks`, { url: other.url });
    receiver.respondWith(500);
    await publishing(1);
    await publishing(2);
    await deliver();
    expect([receiver.messages.length, other.messages.length]).toEqual([1, 2]);
    await other.stop();
  });

  test("after five days switches its webhook off, of which owner and admins hear once, until a test arrives", async () => {
    const grace = await ada.otherDeveloper();
    await addMember(ada, slug, grace, "admin");
    receiver.respondWith(500);
    await publishing(1);
    const from = Date.now() - start;
    await deliver(from);
    await deliver(from + 4.9 * day);
    expect(await shown()).toMatchObject({ enabled: true, failing_since: time, switched_off_at: null });
    for (const at of [5.01, 5.02]) {
      await publishing(at);
      await deliver(from + at * day);
    }
    expect(await shown()).toMatchObject({ enabled: false, switched_off_at: time });
    const told: unknown[] = [];
    const send = async (
      notices: readonly { type: string; account: { uid: string }; project?: string | undefined }[],
    ) => {
      told.push(
        ...notices
          .filter(({ type, project }) => type === "webhook_switched_off" && project === slug)
          .map(({ account }) => account.uid),
      );
      return new Set<string>();
    };
    await deliverNotices({ send, now: new Date(start + from + 6 * day), hasTime: () => true });
    expect(told.toSorted()).toEqual([ada.uid, grace.uid].toSorted());
    receiver.messages.length = 0;
    await publishing(3);
    await deliver();
    expect(receiver.messages).toEqual([]);
    receiver.respondWith(204);
    await ada.post(`${path}/deliveries`, {});
    await deliver();
    expect(receiver.messages.map(({ body }) => JSON.parse(body).type)).toEqual(["test"]);
    expect(await shown()).toMatchObject({ enabled: true, failing_since: null });
  });

  test("is sent again by hand, once, with its id", async () => {
    receiver.respondWith(400);
    await publishing();
    await deliver();
    const [{ id }] = await deliveries();
    receiver.respondWith(204);
    expect((await ada.post(`${path}/deliveries`, { delivery: id })).body).toMatchObject({ id, status: "waiting" });
    await deliver();
    expect(receiver.messages.map(({ headers }) => headers["webhook-id"])).toEqual([id, id]);
    expect((await ada.post(`${path}/deliveries`, { delivery: "unknown" })).body.code).toBe("delivery_not_found");
  });
});

test("of a webhook the last twenty deliveries are kept", async () => {
  const first = await publishing(0);
  const second = await publishing(1);
  for (let count = 0; count < 10; count += 1) {
    await makeLive(ada, slug, first);
    await makeLive(ada, slug, second);
  }
  for (let run = 0; run < 4; run += 1) await deliver();
  expect(receiver.messages.length).toBe(22);
  expect(await deliveries()).toHaveLength(20);
});

test("a receiver checks a message as the document shows", async () => {
  const [, program = ""] = /^```js\n(.*?)^```/ms.exec(readFileSync("docs/notices.md", "utf8")) ?? [];
  const { isFromSvc } = await import(`data:text/javascript,${encodeURIComponent(program)}`);
  await publishing();
  await deliver();
  const [{ headers, body } = { headers: {}, body: "" }] = receiver.messages;
  expect(isFromSvc(secret, headers, body)).toBe(true);
  const other = (await ada.post(`/projects/${slug}/webhooks`, { url: receiver.url })).body.secret;
  expect(isFromSvc(other, headers, body)).toBe(false);
  expect(isFromSvc(secret, headers, `${body} `)).toBe(false);
  expect(isFromSvc(secret, { ...headers, "webhook-id": "other" }, body)).toBe(false);
});

test("a run logs how many, and neither a URL, a body nor a secret", async () => {
  const lines: string[] = [];
  const write = jest.spyOn(process.stdout, "write").mockImplementation((text) => Boolean(lines.push(String(text))));
  try {
    receiver.respondWith(500);
    await publishing();
    await handler({}, { awsRequestId: "run", getRemainingTimeInMillis: () => 50_000 } as Context);
  } finally {
    write.mockRestore();
  }
  const [line] = lines.filter((text) => text.includes("deliver-webhooks"));
  expect(JSON.parse(line ?? "")).toMatchObject({ message: "Webhooks: 0 delivered, 1 to be sent again, 0 failed" });
  for (const hidden of [receiver.url, "localhost", "release_published", secret])
    expect(lines.join("")).not.toContain(hidden);
});
