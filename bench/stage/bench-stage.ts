import { type Actors, actorsOf } from "../../test/support/actors.ts";
import { type ServiceOptions, startService, type TestService } from "../../test/support/service.ts";

/** A local service to measure, and people to call it. */
export interface BenchService extends TestService {
  readonly actors: Actors;
}

/** Starts a stage, runs `measure` and stops the stage, whatever happens. */
export async function withService<T>(
  measure: (stage: BenchService) => Promise<T>,
  options: ServiceOptions = {},
): Promise<T> {
  const stage = await startService(options);
  try {
    return await measure({ ...stage, actors: actorsOf(stage) });
  } finally {
    await stage.stop();
  }
}

/** The environment variables of a function on this stage, with DynamoDB at `dynamodbEndpoint`. */
export function functionEnvironment(
  stage: TestService,
  dynamodbEndpoint = stage.dynamodbEndpoint,
): Record<string, string> {
  return {
    SVC_STAGE: "local",
    AWS_REGION: "eu-central-1",
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local-secret",
    TABLE_NAME: stage.tableName,
    DYNAMODB_ENDPOINT: dynamodbEndpoint,
    BUCKET_NAME: stage.bucketName,
    S3_ENDPOINT: stage.s3Endpoint,
    IDP_ISSUER: stage.issuer,
    IDP_AUDIENCE: stage.audience,
    IDP_JWKS_URI: stage.jwksUri,
  };
}
