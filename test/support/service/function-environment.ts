import { dummyCredentials } from "../../../local/credentials.ts";
import type { ServiceDetails } from "../../../local/service.ts";

/** Variables that every function reads from its environment, for the table, the store and the provider of a local service. */
export function functionEnvironment(service: ServiceDetails): Record<string, string> {
  return {
    TABLE_NAME: service.tableName,
    DYNAMODB_ENDPOINT: service.dynamodbEndpoint,
    BUCKET_NAME: service.bucketName,
    S3_ENDPOINT: service.s3Endpoint,
    IDP_ISSUER: service.issuer,
    AWS_REGION: "eu-central-1",
    AWS_ACCESS_KEY_ID: dummyCredentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: dummyCredentials.secretAccessKey,
  };
}
