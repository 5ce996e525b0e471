import { lookup } from "node:dns/promises";
import { networkInterfaces } from "node:os";
import { buildChangedDashboard } from "../dashboard/build.ts";
import { packagePath } from "../dashboard/site.ts";
import type { Configuration } from "../dashboard/src/configuration.ts";
import { jobIssuers, leftOutOptions, maxTokenDays } from "../functions/environment.ts";
import { areFunctionsBuilt, bundleChangedFunctions } from "../infra/bundle.ts";
import { type ServiceConfiguration, UsageError } from "./configuration.ts";
import { setCredentials } from "./credentials.ts";
import { lockDataFolder } from "./data-folder.ts";
import { ColdLocations } from "./edge/cold-locations.ts";
import { EdgeLocation } from "./edge/edge-location.ts";
import { distributionOf } from "./edge/local-edge.ts";
import { storeOfCopy, storeOfTable } from "./edge/pointer-stores.ts";
import type { Store } from "./edge/viewer-runtime.ts";
import { dashboardHostname } from "./gateway/foreign-request.ts";
import { type Site, startHttpServer } from "./gateway/http-server.ts";
import { throttle } from "./gateway/throttle.ts";
import { startIdentityProvider } from "./identity-provider/identity-provider.ts";
import { firebaseEmulator, otherIdentityProvider } from "./identity-provider/other-provider.ts";
import type { OptionPart } from "./option.ts";
import { externalPart, type Part } from "./part.ts";
import { KeyValueStore } from "./pointers/key-value-store.ts";
import { localStoreArn, startStoreServer } from "./pointers/store-server.ts";
import { startSchedule } from "./schedules.ts";
import { dashboardSite } from "./sites/dashboard-site.ts";
import { gameHost } from "./sites/game-host.ts";
import { BucketEvents } from "./store/bucket-events.ts";
import { startObjectStore } from "./store/object-store.ts";
import { checkStore } from "./store/store-check.ts";
import { createTable } from "./table/create-table.ts";
import { startDynamodbEngine } from "./table/dynamodb-engine.ts";

/** The URLs and settings of a running service. */
export interface ServiceDetails {
  readonly api: string;
  /** The dashboard's URL. */
  readonly dashboard: string;
  readonly issuer: string;
  readonly jwksUri: string;
  readonly audience: string;
  readonly tableName: string;
  readonly bucketName: string;
  readonly dynamodbEndpoint: string;
  readonly s3Endpoint: string;
  /** Environment variables of the functions for the parts of options. */
  readonly optionEnvironment: Readonly<Record<string, string>>;
  /** The key-value store of the games' edge; empty if the service has none. */
  readonly gamesStoreEndpoint: string;
  /** A project is played at `http://<slug>.<games domain>/`. */
  readonly gamesDomain: string;
}

/** A running service. */
export interface LocalService {
  readonly details: ServiceDetails;
  /** The folder of the embedded store's objects. */
  readonly objectFolder: string | undefined;
  /** A link that signs in as Ada, at the local provider alone, and opens a page of the dashboard. */
  readonly demoUrl: ((page: string) => string) | undefined;
  stop(): Promise<void>;
}

/**
 * Starts the whole service in this process and its children: engine, table, object store, identity provider, and an HTTP
 * server with the bundled functions. Sets the environment variables of the functions, so a process can run only one service.
 *
 * @throws UsageError if a port or the data folder is in use, or an external part does not respond; everything that was
 *   started is stopped then
 */
export async function startLocalService(configuration: ServiceConfiguration): Promise<LocalService> {
  const parts: Pick<Part, "stop">[] = [];
  const register = async <P extends Pick<Part, "stop">>(starting: P | Promise<P>): Promise<P> => {
    const part = await starting;
    parts.push(part);
    return part;
  };
  const stop = async () => {
    while (parts.length > 0) await parts.pop()?.stop();
  };
  const { dataFolder, coldLocations } = configuration;
  try {
    if (dataFolder !== undefined) await register(lockDataFolder(dataFolder));
    const credentials = setCredentials(Boolean(configuration.dynamodbEndpoint ?? configuration.s3Endpoint));
    const gate = Promise.withResolvers<readonly Site[]>();
    const server = await register(
      startHttpServer(configuration.port, gate.promise, {
        origins: configuration.webOrigins,
        throttle: configuration.requestsPerSecond === undefined ? undefined : throttle(configuration.requestsPerSecond),
      }).catch(explainTakenPort("PORT", configuration.port)),
    );
    const apiPort = Number(new URL(server.endpoint).port);
    const networkGate = Promise.withResolvers<readonly Site[]>();
    const network =
      configuration.host === undefined
        ? undefined
        : await register(startNetworkServer(configuration.host, apiPort, networkGate.promise));
    const provider = await register(startProvider(configuration, apiPort));
    const added: OptionPart[] = [];
    for (const { start } of configuration.options) if (start) added.push(await register(start({ dataFolder })));
    const events = new BucketEvents();
    const storing = register(startStore(configuration, { credentials, apiPort, events }));
    const starting = [
      register(startEngine(configuration)),
      storing,
      register(startGamesStore(configuration, credentials)),
      // One after the other: each ends the esbuild that both use.
      areFunctionsBuilt ? undefined : bundleChangedFunctions().then(buildChangedDashboard),
      storing.then(({ endpoint: files }) =>
        distributionOf({
          ...configuration,
          gamesDomain: configuration.host ?? "localhost",
          files,
          api: network?.origin ?? server.endpoint,
          pages: configuration.options.flatMap(({ pages = [] }) => pages),
          documentHeaders: Object.fromEntries(
            configuration.options.map(({ name, documentHeaders = {} }) => [name, documentHeaders]),
          ),
          offlinePages: configuration.options.flatMap(({ offlinePages = [] }) => offlinePages),
          isPlain: true,
          isCold: coldLocations > 0,
        }),
      ),
    ] as const;
    await Promise.allSettled(starting);
    const [engine, store, gamesStore, , distribution] = await Promise.all(starting);
    await createTable(engine.endpoint, configuration.tableName).catch(explainNoEngine(engine.endpoint));
    const details: ServiceDetails = {
      api: server.endpoint,
      dashboard: `http://${dashboardHostname}:${apiPort}/`,
      issuer: provider.issuer,
      jwksUri: provider.jwksUri,
      audience: configuration.idpAudience,
      tableName: configuration.tableName,
      bucketName: configuration.bucketName,
      dynamodbEndpoint: engine.endpoint,
      s3Endpoint: store.endpoint,
      optionEnvironment: Object.assign(
        {},
        ...[...configuration.options, ...added].map(({ environment }) => environment),
      ),
      gamesStoreEndpoint: gamesStore.endpoint,
      gamesDomain: `${configuration.host ?? "localhost"}:${apiPort}`,
    };
    setFunctionEnvironment(details, configuration);
    const createLocation = () => new EdgeLocation(distribution, gamesStore.pointers);
    const edge = await register(
      coldLocations > 0 ? new ColdLocations(coldLocations, createLocation) : createLocation(),
    );
    const watches = added.flatMap(({ watch }) => watch ?? []);
    const games = gameHost(details.gamesDomain, edge, watches, {
      api: server.endpoint,
      paths: configuration.options.flatMap(({ apiPaths = [] }) => apiPaths),
    });
    gate.resolve([dashboardSite(dashboardConfiguration(details, configuration), store.endpoint), games]);
    networkGate.resolve([games]);
    await register(events.start(configuration.s3Endpoint !== undefined));
    for (const { name, seconds } of configuration.optionSchedules) await register(startSchedule(name, seconds));
    if (gamesStore.endpoint !== "") await register(startSchedule("write-pointers", configuration.pointersSeconds));
    await register(startSchedule("publish-scheduled", configuration.scheduledSeconds));
    await register(startSchedule("sweep", configuration.sweepSeconds));
    return { details, objectFolder: store.directory, demoUrl: provider.demoUrl, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A second server, for games alone, at the address for which the name stands. @throws UsageError if that is none of this machine */
async function startNetworkServer(host: string, port: number, gate: Promise<readonly Site[]>) {
  const resolution = await lookup(host, { family: 4 }).catch(() => {
    throw new UsageError(`SVC_HOST is ${host}, a name that does not resolve.`);
  });
  const { address } = resolution;
  const ownAddresses = Object.values(networkInterfaces()).flatMap((all) => all?.map((one) => one.address) ?? []);
  if (address === "127.0.0.1" || !(ownAddresses.includes(address) || address.startsWith("127.")))
    throw new UsageError(
      `SVC_HOST is ${host}, which stands for ${address}. It must stand for an address of this machine on the network: ${ownAddresses.filter((one) => /^\d/.test(one) && !one.startsWith("127.")).join(", ") || "it has none"}.`,
    );
  const gamesDomain = `${host}:${port}`;
  const server = await startHttpServer(port, gate, { network: { address, gamesDomain } }).catch(
    explainTakenPort("PORT", port),
  );
  return { ...server, origin: `http://${gamesDomain}` };
}

function startProvider(configuration: ServiceConfiguration, dashboardPort: number) {
  const { idpIssuer, idpJwksUri, idpPort, idpAudience, firebaseProject, dataFolder } = configuration;
  if (firebaseProject !== undefined) return firebaseEmulator(firebaseProject, idpJwksUri);
  if (idpIssuer !== undefined) return otherIdentityProvider(idpIssuer, idpJwksUri);
  return startIdentityProvider({ port: idpPort, audience: idpAudience, dataFolder, dashboardPort }).catch(
    explainTakenPort("IDP_PORT", idpPort),
  );
}

async function startEngine({ dynamodbEndpoint, dataFolder }: ServiceConfiguration): Promise<Part> {
  return dynamodbEndpoint === undefined ? await startDynamodbEngine(dataFolder) : externalPart(dynamodbEndpoint);
}

async function startStore(
  { s3Endpoint, s3Port: port, dataFolder, bucketName, webOrigins, options }: ServiceConfiguration,
  around: {
    readonly credentials: ReturnType<typeof setCredentials>;
    readonly apiPort: number;
    readonly events: BucketEvents;
  },
): Promise<Part & { directory?: string }> {
  const { credentials, apiPort, events } = around;
  if (s3Endpoint !== undefined) {
    await checkStore({ endpoint: s3Endpoint, bucketName, credentials });
    return externalPart(s3Endpoint);
  }
  const playersUpload = options.some((option) => option.playersUpload);
  const rule = { ports: [apiPort], origins: webOrigins, playersUpload };
  const onWritten = (key: string) => events.written(key);
  return await startObjectStore(bucketName, dataFolder, { port, credentials, onWritten, ...rule }).catch(
    explainTakenPort("S3_PORT", port),
  );
}

/** The key-value store, and its pointers as the edge reads them. */
async function startGamesStore(
  { gamesStoreEndpoint, dataFolder }: ServiceConfiguration,
  credentials: ReturnType<typeof setCredentials>,
): Promise<Part & { readonly pointers: Store }> {
  if (gamesStoreEndpoint !== undefined) return { ...externalPart(gamesStoreEndpoint), pointers: storeOfTable() };
  const store = new KeyValueStore(dataFolder);
  return {
    ...(await startStoreServer({ credentials, stores: new Map([[localStoreArn, store]]) })),
    pointers: storeOfCopy(store.edge(0)),
  };
}

function explainTakenPort(variable: string, port: number) {
  return (error: NodeJS.ErrnoException): never => {
    if (error.code !== "EADDRINUSE") throw error;
    throw new UsageError(
      `Port ${port} is in use. Stop the program that listens there, or choose another port with ${variable}; ${variable}=0 takes a free one.`,
    );
  };
}

function explainNoEngine(endpoint: string) {
  return (error: NodeJS.ErrnoException): never => {
    if (error.code !== "ECONNREFUSED") throw error;
    throw new UsageError(`No DynamoDB engine runs at ${endpoint}. Start it, or unset DYNAMODB_ENDPOINT.`);
  };
}

function setFunctionEnvironment(details: ServiceDetails, { reportUrl }: ServiceConfiguration): void {
  Object.assign(process.env, {
    SVC_STAGE: "local",
    TABLE_NAME: details.tableName,
    DYNAMODB_ENDPOINT: details.dynamodbEndpoint,
    BUCKET_NAME: details.bucketName,
    S3_ENDPOINT: details.s3Endpoint,
    GAMES_STORE_ARN: details.gamesStoreEndpoint && localStoreArn,
    GAMES_STORE_ENDPOINT: details.gamesStoreEndpoint,
    GAMES_DOMAIN: details.gamesDomain,
    GAMES_EDGE_DOMAIN: details.gamesStoreEndpoint && details.gamesDomain,
    ...details.optionEnvironment,
    REPORT_URL: reportUrl ?? "",
    API_ORIGIN: details.api,
    DASHBOARD_ORIGIN: new URL(details.dashboard).origin,
    COMMAND_LINE_URL: commandLineOf(details),
    IDP_ISSUER: details.issuer,
    IDP_AUDIENCE: details.audience,
    IDP_JWKS_URI: details.jwksUri,
  });
}

/** Where npm installs the command line from: not from the dashboard's host, since Node does not resolve names below localhost. */
function commandLineOf({ api }: Pick<ServiceDetails, "api">): string {
  return `${api}${packagePath}`;
}

function dashboardConfiguration(
  { api, issuer, audience, gamesDomain }: ServiceDetails,
  { firebaseProject, emulatorHost }: ServiceConfiguration,
): Configuration {
  const emulated = firebaseProject !== undefined && {
    kind: "firebase" as const,
    // The emulator requires a key but does not check it.
    apiKey: "emulator",
    authDomain: `${firebaseProject}.firebaseapp.com`,
    projectId: firebaseProject,
    emulator: `http://${emulatorHost}`,
  };
  const leftOut = leftOutOptions();
  return {
    api,
    stage: "local",
    commandLine: commandLineOf({ api }),
    games: `http://{slug}.${gamesDomain}/`,
    jobIssuers: jobIssuers(),
    maxTokenDays: maxTokenDays(),
    ...(leftOut.length > 0 && { leftOut }),
    identityProvider: emulated || { kind: "openIdConnect", issuer, clientId: audience },
  };
}
