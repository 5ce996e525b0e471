import { EventBridgeClient, PutEventsCommand, type PutEventsRequestEntry } from "@aws-sdk/client-eventbridge";
import * as environment from "../../../functions/environment.ts";
import type { Notice } from "../contract/notice.ts";

/** The `source` of every event of the service on its bus. */
const source = "svc";

let client: EventBridgeClient | undefined;

function eventBridge(): EventBridgeClient {
  client ??= new EventBridgeClient({
    ...environment.eventBridgeEndpoint(),
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true },
  });
  return client;
}

/**
 * Puts notices on the stage's bus. If EventBridge refuses a request as a whole because of one notice, the others are
 * put one by one.
 *
 * @returns the ids of those that EventBridge did not take
 * @throws the SDK's error if EventBridge throttles, fails or cannot be reached
 */
export async function sendToBus(notices: readonly Notice[]): Promise<ReadonlySet<string>> {
  try {
    const { Entries = [] } = await eventBridge().send(new PutEventsCommand({ Entries: notices.map(entryOf) }));
    return new Set(notices.filter((_, index) => Entries[index]?.EventId === undefined).map(({ id }) => id));
  } catch (error) {
    if (!isAboutContent(error)) throw error;
    if (notices.length === 1) return new Set(notices.map(({ id }) => id));
    const each = await Promise.all(notices.map((notice) => sendToBus([notice])));
    return new Set(each.flatMap((refused) => [...refused]));
  }
}

/** EventBridge refuses what it was sent, and would refuse it again. */
function isAboutContent(error: unknown): boolean {
  return error instanceof Error && error.name === "ValidationException";
}

function entryOf(notice: Notice): PutEventsRequestEntry {
  return {
    EventBusName: environment.eventBusName(),
    Source: source,
    DetailType: notice.type,
    Time: new Date(notice.at),
    Detail: JSON.stringify(notice),
  };
}
