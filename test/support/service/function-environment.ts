import type { ServiceDetails } from "../../../local/service.ts";
import { awsAccess } from "./aws-access.ts";

/** Variables that every function reads from its environment, for the table, the store and the provider of a local service. */
export function functionEnvironment(service: ServiceDetails): Record<string, string> {
  return {
    TABLE_NAME: service.tableName,
    DYNAMODB_ENDPOINT: service.dynamodbEndpoint,
    BUCKET_NAME: service.bucketName,
    S3_ENDPOINT: service.s3Endpoint,
    IDP_ISSUER: service.issuer,
    ...service.optionEnvironment,
    AWS_REGION: awsAccess.region,
    AWS_ACCESS_KEY_ID: awsAccess.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: awsAccess.credentials.secretAccessKey,
  };
}
