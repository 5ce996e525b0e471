import type { Sweep } from "../../functions/domain/sweep-project.ts";
import { dummyCredentials } from "../../local/credentials.ts";
import type { ServiceDetails } from "../../local/service.ts";

/** A sweep that has enough time, so many milliseconds from now; by default it keeps nothing but the live release. */
export function sweepOf({ releases = 1, days = 0, later = 0 } = {}): Sweep {
  return { retention: { releases, days }, now: () => new Date(Date.now() + later), hasTime: () => true };
}

/** What the sweeper's function reads from its environment, for the local service's table and store. */
export function sweeperEnvironment(service: ServiceDetails): Record<string, string> {
  return {
    TABLE_NAME: service.tableName,
    DYNAMODB_ENDPOINT: service.dynamodbEndpoint,
    BUCKET_NAME: service.bucketName,
    S3_ENDPOINT: service.s3Endpoint,
    AWS_REGION: "eu-central-1",
    AWS_ACCESS_KEY_ID: dummyCredentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: dummyCredentials.secretAccessKey,
  };
}
