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
