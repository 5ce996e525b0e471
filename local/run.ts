import { readConfiguration, type ServiceConfiguration, UsageError } from "./configuration.ts";
import { type LocalService, type ServiceDetails, startLocalService } from "./service.ts";

/**
 * Runs the whole service on this machine until it is told to stop. Started with an IPC channel, as the tests do, it
 * reports where everything is and stops when the channel closes.
 */
export async function runUntilTold(): Promise<void> {
  try {
    await run();
  } catch (error) {
    fail(error);
  }
}

async function run(): Promise<void> {
  const configuration = readConfiguration(process.env);
  const service = await startLocalService(configuration);
  stopWhenTold(service);
  console.log(`svc is ready at ${service.details.api}`);
  console.log(howToGoOn(service.details, configuration));
  process.send?.(service.details);
}

/** npm hands Ctrl-C on to a program that the terminal has told already, so only a later signal means: at once. */
const impatienceMilliseconds = 1_000;

function stopWhenTold(service: LocalService): void {
  let toldAt: number | undefined;
  const stop = () => {
    if (toldAt !== undefined && Date.now() - toldAt > impatienceMilliseconds) process.exit(1);
    if (toldAt !== undefined) return;
    toldAt = Date.now();
    service.stop().then(() => process.exit(0), fail);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
  process.on("disconnect", stop);
}

function howToGoOn(details: ServiceDetails, { dataFolder, idpIssuer }: ServiceConfiguration): string {
  const { api, dashboard, issuer, audience } = details;
  return `
  Dashboard:     ${dashboard}
  An ID token:   ${idpIssuer === undefined ? idTokenCommand(issuer) : `from ${issuer}, for the audience ${audience}`}
  Sign in:       curl -X POST ${api}/auth/session -H "Authorization: Bearer $ID_TOKEN"
  Who am I:      curl ${api}/me -H "Authorization: Bearer $ID_TOKEN"
  All routes:    curl ${api}/openapi.json
  ${dataFolder ? `Data stays in ${dataFolder}.` : "Data is in memory; SVC_DATA=DIR keeps it."} Ctrl-C stops.
`;
}

function idTokenCommand(issuer: string): string {
  const { port } = new URL(issuer);
  const provider = port === "8788" ? "" : `IDP_PORT=${port} `;
  return `ID_TOKEN=$(${provider}npm run --silent id-token -- --uid ada --email ada@example.test --name "Ada")`;
}

function fail(error: unknown): void {
  console.error(error instanceof UsageError ? error.message : error);
  process.exit(1);
}
