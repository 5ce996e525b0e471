import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { CloudFrontClient, CreateInvalidationCommand } from "@aws-sdk/client-cloudfront";
import { cacheTag } from "../../edge/cache/cache-key.ts";

/** A write of the key-value store reaches every edge within seconds; until then a visit could fill a cache again. */
const propagationMilliseconds = 30_000;

/**
 * Takes every response of a game out of CloudFront's caches by its tag ("Invalidating content by cache tags",
 * https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/invalidation-by-tags.html). The key-value store must have the
 * takedown by then, or the caches fill again.
 *
 * @param wait how long the edges get to see it
 * @returns the id of the invalidation, which is complete within seconds
 * @throws the SDK's error if CloudFront refuses, fails or cannot be reached
 */
export async function purgeGame(
  slug: string,
  distributionId: string,
  wait = propagationMilliseconds,
): Promise<string | undefined> {
  await delay(wait);
  const client = new CloudFrontClient({ region: "us-east-1" });
  const response = await client.send(
    new CreateInvalidationCommand({
      DistributionId: distributionId,
      InvalidationBatch: { CallerReference: randomUUID(), Paths: { Quantity: 1, Items: [`#${cacheTag(slug)}`] } },
    }),
  );
  return response.Invalidation?.Id;
}
