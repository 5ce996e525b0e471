import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { readConfiguration, type ServiceConfiguration, UsageError } from "./configuration.ts";
import { demoProject, publishDemoGame } from "./demo-game.ts";
import { noteLocalParts } from "./local-parts.ts";
import { whenNpmEnds } from "./machine/npm.ts";
import type { LocalOption } from "./option.ts";
import { type LocalService, startLocalService } from "./service.ts";
import { help } from "./settings.ts";

interface Run {
  readonly options: readonly LocalOption[];
  /** Whether it shows an example game, for `npm run demo`. */
  readonly isDemo?: boolean;
}

/**
 * Runs the whole service on this machine, for a demo with an example game, until a signal stops it. With an IPC channel, as in tests, it reports its URLs and
 * stops when the channel closes.
 */
export async function runUntilStopped(wanted: Run): Promise<void> {
  try {
    await run(wanted);
  } catch (error) {
    fail(error);
  }
}

async function run({ options, isDemo = false }: Run): Promise<void> {
  const words = process.argv.slice(2);
  if (words.some((word) => word === "--help" || word === "-h")) return console.log(help(options));
  if (words.length > 0)
    throw new UsageError(
      `${isDemo ? "npm run demo" : "npm start"} takes no "${words[0]}". It is configured by environment variables: npm start -- --help`,
    );
  const configuration = readConfiguration(process.env, options);
  if (isDemo && (configuration.idpIssuer ?? configuration.firebaseProject) !== undefined)
    throw new UsageError(
      "npm run demo signs Ada in at the local provider: unset IDP_ISSUER and IDP_AUTH_EMULATOR_HOST.",
    );
  buildMissingCli();
  const service = await startLocalService(configuration);
  const forget = noteLocalParts(new URL(service.details.api).port, process.env);
  stopOnSignal(service, forget);
  if (isDemo) await publishDemoGame(service.details);
  const demo = isDemo ? service.demoUrl?.(`/projects/${demoProject}`) : undefined;
  console.log(
    demo === undefined
      ? `svc is ready. Open ${service.details.dashboard} in a browser other than Safari.`
      : `svc is ready, with a game of Ada's. This link signs you in as her, in a browser other than Safari:\n\n${demo}\n`,
  );
  console.log(nextSteps(service, configuration));
  process.send?.(service.details);
}

/** Builds `npx svc`, where npm's `ignore-scripts` left out the script that builds it after an installation. */
function buildMissingCli(): void {
  const cli = (path: string) => fileURLToPath(new URL(`../cli/${path}`, import.meta.url));
  if (!existsSync(cli("dist/bundle.cjs"))) execFileSync(process.execPath, [cli("build.ts")], { stdio: "inherit" });
}

/** After Ctrl-C a program gets two signals, from the terminal and from npm. Only a later one means: stop at once. */
const sameSignalMilliseconds = 1_000;

function stopOnSignal(service: LocalService, forget: () => void): void {
  let toldAt: number | undefined;
  const stop = () => {
    if (toldAt !== undefined && Date.now() - toldAt > sameSignalMilliseconds) process.exit(1);
    if (toldAt !== undefined) return;
    toldAt = Date.now();
    forget();
    service.stop().then(() => process.exit(0), fail);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
  process.on("disconnect", stop);
  whenNpmEnds(stop);
}

function nextSteps(service: LocalService, configuration: ServiceConfiguration): string {
  const { api, issuer, audience } = service.details;
  const isOwn = configuration.idpIssuer === undefined && configuration.firebaseProject === undefined;
  const lines = [
    `The API:             ${api}`,
    `An ID token:         ${isOwn ? idTokenCommand(issuer) : `from ${issuer}, for the audience ${audience}`}`,
    `Become a developer:  curl -X POST ${api}/auth/session -H "Authorization: Bearer $ID_TOKEN" -H "Content-Type: application/json" -d '{"role": "dev"}'`,
    `Who am I:            curl ${api}/me -H "Authorization: Bearer $ID_TOKEN"`,
    `All routes:          curl ${api}/openapi.json`,
    ...(configuration.host === undefined
      ? []
      : [`ON THE NETWORK:      games, for everybody who reaches ${configuration.host}; nothing else of the service`]),
    `${dataSentence(service, configuration)} npm start -- --help shows all settings. Ctrl-C stops.`,
  ];
  const warning =
    "WARNING: IDP_AUTH_EMULATOR_HOST is set. UNSIGNED ID tokens are accepted: everybody who reaches this service can sign in as anybody.";
  return ["", ...lines, ...(configuration.emulatorHost === undefined ? [] : [warning]), ""].join("\n  ");
}

function dataSentence({ objectFolder }: LocalService, { dataFolder }: ServiceConfiguration): string {
  if (dataFolder !== undefined) return `Data is kept in ${dataFolder}.`;
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
