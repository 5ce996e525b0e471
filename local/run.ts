import { readConfiguration, type ServiceConfiguration, UsageError } from "./configuration.ts";
import { type LocalService, startLocalService } from "./service.ts";
import { help } from "./settings.ts";

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
  const words = process.argv.slice(2);
  if (words.some((word) => word === "--help" || word === "-h")) return console.log(help());
  if (words.length > 0)
    throw new UsageError(
      `npm start takes no "${words[0]}". It is configured by environment variables: npm start -- --help`,
    );
  const configuration = readConfiguration(process.env);
  const service = await startLocalService(configuration);
  stopWhenTold(service);
  console.log(`svc is ready at ${service.details.api}`);
  console.log(howToGoOn(service, configuration));
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

function howToGoOn(service: LocalService, configuration: ServiceConfiguration): string {
  const { api, dashboard, issuer, audience } = service.details;
  const isOwn = configuration.idpIssuer === undefined && configuration.firebaseProject === undefined;
  const lines = [
    `Dashboard:           ${dashboard}`,
    `An ID token:         ${isOwn ? idTokenCommand(issuer) : `from ${issuer}, for the audience ${audience}`}`,
    `Become a developer:  curl -X POST ${api}/auth/session -H "Authorization: Bearer $ID_TOKEN" -H "Content-Type: application/json" -d '{"role": "dev"}'`,
    `Who am I:            curl ${api}/me -H "Authorization: Bearer $ID_TOKEN"`,
    `All routes:          curl ${api}/openapi.json`,
    `${whereDataIs(service, configuration)} npm start -- --help shows all settings. Ctrl-C stops.`,
  ];
  const warning =
    "WARNING: IDP_AUTH_EMULATOR_HOST is set. UNSIGNED ID tokens are accepted: whoever reaches this service can be anybody.";
  return ["", ...lines, ...(configuration.emulatorHost === undefined ? [] : [warning]), ""].join("\n  ");
}

function whereDataIs({ objectFolder }: LocalService, { dataFolder }: ServiceConfiguration): string {
  if (dataFolder !== undefined) return `Data stays in ${dataFolder}.`;
  const files = objectFolder === undefined ? "" : `, uploaded files are in ${objectFolder} until the end`;
  return `Tables are in memory${files}; SVC_DATA=DIR keeps both.`;
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
