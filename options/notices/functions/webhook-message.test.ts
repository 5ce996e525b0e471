import { expect, test } from "@jest/globals";
import type { WebhookEvent } from "../../../functions/entities/notice.ts";
import type { Project } from "../../../functions/entities/project.ts";
import { messageOf } from "./webhook-message.ts";

test("a release that crashes more often is told with the one before it, in words and as data", () => {
  const at = "2026-11-29T18:00:00.000Z";
  const event: WebhookEvent = {
    ...{ id: "e", type: "release_crashes_more", at, project: "pong", credential: "service", byKey: undefined },
    ...{ releaseId: "r5", release: { number: 5 }, before: { id: "r4", number: 4 } },
  };
  const { type, text, data } = messageOf(event, { slug: "pong", name: "Pong" } as Project, undefined);
  expect({ type, text }).toEqual({
    type: "release_crashes_more",
    text: '"Pong": #5 crashes clearly more often than #4, as browsers of players report',
  });
  expect(JSON.parse(data)).toMatchObject({
    project: "pong",
    release: { id: "r5", number: 5 },
    release_before: { id: "r4", number: 4 },
  });
});

test("a release that waits is told with the page on which a person makes it live", () => {
  process.env["DASHBOARD_ORIGIN"] = "https://dashboard.test";
  try {
    const event: WebhookEvent = {
      ...{ id: "e", type: "release_waiting", at: "2026-11-29T18:00:00.000Z", project: "pong" },
      ...{ credential: "ci_job", byKey: undefined, releaseId: "r5", release: {} },
    };
    const { text, data } = messageOf(event, { slug: "pong", name: "Pong" } as Project, undefined);
    const page = "https://dashboard.test/projects/pong/releases/r5";
    expect(text.split("\n")).toEqual([expect.stringMatching(/^"Pong": /), page]);
    expect(JSON.parse(data)).toMatchObject({ release_url: page });
  } finally {
    delete process.env["DASHBOARD_ORIGIN"];
  }
});
