import { type Actors, actorsOf } from "../../test/support/actors.ts";
import { type StageOptions, startStage, type TestStage } from "../../test/support/stage.ts";

/** A local stage to measure, and people to call it. */
export interface BenchStage extends TestStage {
  readonly actors: Actors;
}

/** Starts a stage, runs `measure` and stops the stage, whatever happens. */
export async function withStage<T>(measure: (stage: BenchStage) => Promise<T>, options: StageOptions = {}): Promise<T> {
  const stage = await startStage(options);
  try {
    return await measure({ ...stage, actors: actorsOf(stage) });
  } finally {
    await stage.stop();
  }
}

/** The environment variables of a function on this stage, with DynamoDB at `dynamodbEndpoint`. */
export function functionEnvironment(
  stage: TestStage,
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
