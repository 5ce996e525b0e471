import type { Context, S3Event, SQSBatchResponse, SQSEvent } from "aws-lambda";
import { checkArrived, checkRequested } from "../domain/releases/checking.ts";
import { log } from "../http/log.ts";

/** A copy of 500 MiB is unpacked within it. */
const reserveMilliseconds = 45_000;

/**
 * Unpacks copies that have arrived in the bucket (docs/decisions/0073-deltas.md). Its events are those of the bucket, in messages of a queue:
 * requests of the service, and files.
 *
 * @returns the messages that are to come again
 */
export async function handler({ Records }: SQSEvent, context: Context): Promise<SQSBatchResponse> {
  const hasTime = () => context.getRemainingTimeInMillis() > reserveMilliseconds;
  const messages = Records.map(({ messageId, body }) => ({ messageId, keys: keysOf(body) }));
  const requested = messages.flatMap(({ messageId, keys }) =>
    keys.filter((key) => key.startsWith("checks/")).map((key) => ({ messageId, key, slug: key.split("/")[1] ?? "" })),
  );
  const arrived = messages.flatMap(({ messageId, keys }) =>
    keys.flatMap((key) => {
      const [, slug] = /^projects\/([^/]+)\/files\//.exec(key) ?? [];
      return slug === undefined ? [] : [{ messageId, slug }];
    }),
  );
  const failed = new Set<string>();
  const attempt = async (messageIds: readonly string[], slug: string, check: () => Promise<boolean>) => {
    try {
      if (await check()) return;
    } catch (error) {
      const line = { request_id: context.awsRequestId, route: "check-copies", level: "error" } as const;
      log({ ...line, code: "check_failed", message: `Copies of ${slug} could not be checked`, error });
    }
    for (const messageId of messageIds) failed.add(messageId);
  };
  for (const { messageId, key, slug } of requested)
    await attempt([messageId], slug, () => checkRequested(key, hasTime));
  for (const [slug, all] of Map.groupBy(arrived, (each) => each.slug))
    await attempt(
      all.map(({ messageId }) => messageId),
      slug,
      () => checkArrived(slug, hasTime),
    );
  return { batchItemFailures: [...failed].map((itemIdentifier) => ({ itemIdentifier })) };
}

/** Keys of the objects that a message is about; none of the bucket's test message. */
function keysOf(body: string): string[] {
  const { Records = [] } = JSON.parse(body) as Partial<S3Event>;
  return Records.map(({ s3 }) => decodeURIComponent(s3.object.key.replaceAll("+", " ")));
}
