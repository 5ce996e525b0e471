import { type Actors, actorsOf } from "../../../test/support/service/actors.ts";
import { functionEnvironment } from "../../../test/support/service/function-environment.ts";
import { type ServiceOptions, startService, type TestService } from "../../../test/support/service/service.ts";

/** A local service to measure, and actors to call it. */
export interface BenchService extends TestService {
  readonly actors: Actors;
}

/** Starts a service, runs `measure`, and stops the service, also after a failure. */
export async function withService<T>(
  measure: (service: BenchService) => Promise<T>,
  options: ServiceOptions = {},
): Promise<T> {
  const service = await startService(options);
  try {
    return await measure({ ...service, actors: actorsOf(service) });
  } finally {
    await service.stop();
  }
}

/** The environment variables of a function of this service, with DynamoDB at `dynamodbEndpoint`. */
export function benchEnvironment(service: TestService, dynamodbEndpoint: string): Record<string, string> {
  return {
    ...functionEnvironment(service),
    SVC_STAGE: "local",
    API_ORIGIN: service.api,
    DASHBOARD_ORIGIN: new URL(service.dashboard).origin,
    GAMES_DOMAIN: service.gamesDomain,
    DYNAMODB_ENDPOINT: dynamodbEndpoint,
    IDP_AUDIENCE: service.audience,
    IDP_JWKS_URI: service.jwksUri,
  };
}
