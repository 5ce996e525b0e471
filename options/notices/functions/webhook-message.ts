import { playUrl } from "../../../functions/domain/projects/play-url.ts";
import type { Account } from "../../../functions/entities/account.ts";
import type { WebhookEvent } from "../../../functions/entities/notice.ts";
import type { Project, Webhook } from "../../../functions/entities/project.ts";
import * as environment from "../../../functions/environment.ts";
import { newId } from "../../../functions/table/ids.ts";
import { publicChange } from "./release-change.ts";
import { signedHeaders } from "./signature.ts";
import { changeInWords, quoted } from "./texts.ts";
import type { WebhookMessage } from "./webhook.ts";

/*
 * What webhooks are sent: docs/notices.md#webhooks.
 */

/** @param releaseId of the release that the message is about, if it is about one */
function projectData({ slug, name }: Project, releaseId?: string) {
  const dashboard = environment.dashboardOrigin();
  const page = dashboard && `${dashboard}/projects/${slug}`;
  return {
    ...{ project: slug, project_name: name, play_url: playUrl({ slug }) },
    ...(page && { project_url: page }),
    ...(page && releaseId !== undefined && { release_url: `${page}/releases/${releaseId}` }),
  };
}

/** Where the reader goes next: players' URL of what is played now, the page of what waits for a person. */
function urlFor(type: WebhookEvent["type"], { play_url, release_url }: ReturnType<typeof projectData>) {
  if (type === "release_published") return play_url;
  return type === "release_waiting" ? release_url : undefined;
}

/** The message about an event. @param by who caused it, if that is an account */
export function messageOf(event: WebhookEvent, project: Project, by: Account | undefined): WebhookMessage {
  const { id, type, at } = event;
  const { type: _, at: __, release, ...change } = publicChange(event, by);
  const data = projectData(project, event.releaseId);
  const words =
    type === "release_crashes_more"
      ? `#${release.number} crashes clearly more often than #${event.before?.number}, as browsers of players report`
      : changeInWords({ ...change, release, type });
  const line = `${quoted(project.name)}: ${words}`;
  const url = urlFor(type, data);
  return {
    id,
    type,
    at,
    data: JSON.stringify({
      ...data,
      ...change,
      ...(event.releaseId && { release }),
      ...(event.before && { release_before: event.before }),
    }),
    text: url ? `${line}\n${url}` : line,
  };
}

/** A message with which a person tries a webhook. */
export function testMessage(project: Project, now: Date): WebhookMessage {
  const text = `${quoted(project.name)}: this is a test. Changes of the game are told here from now on.`;
  return { id: newId(now), type: "test", at: now.toISOString(), data: JSON.stringify(projectData(project)), text };
}

/** Bodies of chat services, by their hosts. They take no others. A name that somebody has chosen mentions nobody. */
const chatBodies: Readonly<Record<string, (text: string) => object>> = {
  "discord.com": (content) => ({ content, allowed_mentions: { parse: [] } }),
  "discordapp.com": (content) => ({ content, allowed_mentions: { parse: [] } }),
  "hooks.slack.com": (text) => ({ text }),
};

/** The request that sends a message to a webhook at a time. */
export function requestOf({ url, key }: Webhook, { id, type, at, data, text }: WebhookMessage, now: Date) {
  const chatBody = chatBodies[new URL(url).hostname];
  const body = JSON.stringify(chatBody ? chatBody(text) : { type, timestamp: at, data: JSON.parse(data) });
  const headers = { "content-type": "application/json", "user-agent": "svc-webhooks" };
  return { url, headers: { ...headers, ...signedHeaders(key, { id, body }, now) }, body };
}
