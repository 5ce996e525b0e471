import { resolve } from "node:path";
import { reportUrlProblem } from "../contract/api/projects/report-url.ts";
import type { LocalOption } from "./option.ts";
import type { Setting } from "./settings.ts";

/** The settings of the local service, all from environment variables. */
export interface ServiceConfiguration {
  /** `PORT`, 8787 when unset, 0 for a free one. */
  readonly port: number;
  /** `SVC_HOST`: the name below which games are on the network too; unset: they are on this machine alone. */
  readonly host: string | undefined;
  /** `IDP_PORT`, 8788 when unset, 0 for a free one. */
  readonly idpPort: number;
  /** `S3_PORT`, two above `PORT` when unset, 0 for a free one: an open dashboard has the store's URL in its policy. */
  readonly s3Port: number;
  /** `SVC_DATA`: the folder for tables, objects and the provider's key; unset: all are deleted at the end. */
  readonly dataFolder: string | undefined;
  /** `DYNAMODB_ENDPOINT`: an engine instead of the embedded one. */
  readonly dynamodbEndpoint: string | undefined;
  /** `S3_ENDPOINT`: a store instead of the embedded one; its bucket must exist. */
  readonly s3Endpoint: string | undefined;
  /** `TABLE_NAME` and `BUCKET_NAME`, `svc-local` when unset. */
  readonly tableName: string;
  readonly bucketName: string;
  /** `IDP_ISSUER`: an identity provider instead of the embedded one. Its discovery document gives `IDP_JWKS_URI` when unset. */
  readonly idpIssuer: string | undefined;
  readonly idpJwksUri: string | undefined;
  /** `IDP_AUDIENCE`, `svc-local` when unset. */
  readonly idpAudience: string;
  /** `IDP_AUTH_EMULATOR_HOST`: unsigned ID tokens are accepted, so anybody can sign in as anybody. */
  readonly emulatorHost: string | undefined;
  /** The project of the Firebase emulator: `IDP_AUDIENCE`, if of the provider's variables only it and `IDP_AUTH_EMULATOR_HOST` are set. */
  readonly firebaseProject: string | undefined;
  /** The options that are not left out. */
  readonly options: readonly LocalOption[];
  /** The schedules of options, each with the seconds between two runs; 0: none. */
  readonly optionSchedules: readonly { readonly name: string; readonly seconds: number }[];
  /** `SVC_SWEEP_SECONDS`, 900 when unset: seconds between two runs of the sweep; 0: none. */
  readonly sweepSeconds: number;
  /** `SVC_POINTERS_SECONDS`, 5 when unset: seconds between two runs of the writer of pointers; 0: none. */
  readonly pointersSeconds: number;
  /** `SVC_SCHEDULED_SECONDS`, 2 when unset: seconds between two looks for scheduled releases whose time has come; 0: none. */
  readonly scheduledSeconds: number;
  /** `GAMES_STORE_ENDPOINT`: a key-value store instead of the embedded one; empty: the service has no games' edge. */
  readonly gamesStoreEndpoint: string | undefined;
  /** `SVC_COLD_LOCATIONS`: cold locations of the games' edge; 0, when unset: one that is kind. */
  readonly coldLocations: number;
  /** `REPORT_URL`: where people report games: a mailto URL whose host is localhost when unset; undefined if it is empty. */
  readonly reportUrl: string | undefined;
  /** `SVC_REQUESTS_PER_SECOND`: the limit of all routes together, as in a stage; unset: no limit. */
  readonly requestsPerSecond: number | undefined;
  /** `SVC_WEB_ORIGINS`, separated by commas: additional origins whose pages may call the API. */
  readonly webOrigins: readonly string[];
}

/** @throws UsageError for an invalid value */
export function readConfiguration(
  variables: NodeJS.ProcessEnv,
  options: readonly LocalOption[] = [],
): ServiceConfiguration {
  const value = (name: Setting) => variables[name] || undefined;
  const numberOf = (name: Setting, range: NumberRange) => readNumber(name, value(name), range);
  const folder = value("SVC_DATA");
  const wanted = optionsOf(variables, options);
  const apiPort = numberOf("PORT", port) ?? 8787;
  return {
    port: apiPort,
    host: hostName(value("SVC_HOST")),
    idpPort: numberOf("IDP_PORT", port) ?? 8788,
    s3Port: numberOf("S3_PORT", port) ?? (apiPort === 0 ? 0 : Math.min(apiPort + 2, port.to)),
    dataFolder: folder === undefined ? undefined : resolve(folder),
    dynamodbEndpoint: value("DYNAMODB_ENDPOINT"),
    s3Endpoint: value("S3_ENDPOINT"),
    tableName: value("TABLE_NAME") ?? "svc-local",
    bucketName: value("BUCKET_NAME") ?? "svc-local",
    idpIssuer: value("IDP_ISSUER"),
    idpJwksUri: value("IDP_JWKS_URI"),
    idpAudience: value("IDP_AUDIENCE") ?? "svc-local",
    emulatorHost: value("IDP_AUTH_EMULATOR_HOST"),
    firebaseProject: value("IDP_AUTH_EMULATOR_HOST") && !value("IDP_ISSUER") ? value("IDP_AUDIENCE") : undefined,
    options: wanted,
    optionSchedules: wanted
      .flatMap(({ schedules = [] }) => schedules)
      .map(({ name, setting, seconds: usual }) => ({
        name,
        seconds: readNumber(setting, variables[setting] || undefined, seconds) ?? usual,
      })),
    sweepSeconds: numberOf("SVC_SWEEP_SECONDS", seconds) ?? 900,
    pointersSeconds: numberOf("SVC_POINTERS_SECONDS", seconds) ?? 5,
    scheduledSeconds: numberOf("SVC_SCHEDULED_SECONDS", seconds) ?? 2,
    gamesStoreEndpoint: variables["GAMES_STORE_ENDPOINT"],
    coldLocations: numberOf("SVC_COLD_LOCATIONS", { what: "a whole number", from: 0, to: 16, isWhole: true }) ?? 0,
    reportUrl: reportUrl(variables["REPORT_URL"]),
    requestsPerSecond: numberOf("SVC_REQUESTS_PER_SECOND", { what: "a number", from: 1, to: 1_000_000 }),
    webOrigins: (value("SVC_WEB_ORIGINS") ?? "").split(",").filter(Boolean),
  };
}

/** @throws UsageError if `LEFT_OUT_OPTIONS` names what is none */
function optionsOf({ LEFT_OUT_OPTIONS = "" }: NodeJS.ProcessEnv, options: readonly LocalOption[]) {
  const leftOut = LEFT_OUT_OPTIONS.split(",").filter(Boolean);
  const names = options.map(({ name }) => name);
  const unknown = leftOut.find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new UsageError(`LEFT_OUT_OPTIONS must name options of ${names.join(", ")}, not "${unknown}"`);
  return options.filter(({ name }) => !leftOut.includes(name));
}

/** @throws UsageError for an address, and for names that only this machine resolves */
function hostName(text: string | undefined): string | undefined {
  const isName =
    text === undefined || (/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(text) && !/\.\d+$|(^|\.)localhost$/.test(text));
  if (isName) return text;
  throw new UsageError(
    `SVC_HOST must be a name below which every name resolves to this machine, such as 192-168-1-5.sslip.io, not "${text}"`,
  );
}

function reportUrl(text = "mailto:abuse@localhost?subject=Report%20of%20{slug}"): string | undefined {
  if (text === "") return undefined;
  const problem = reportUrlProblem(text);
  if (problem === undefined) return text;
  throw new UsageError(`REPORT_URL ${problem}, not "${text}"`);
}

/** The person who starts the service must change something; the message says what. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

interface NumberRange {
  /** Such as "a number of seconds". */
  readonly what: string;
  readonly from: number;
  readonly to: number;
  readonly isWhole?: boolean;
}

const port: NumberRange = { what: "a port number", from: 0, to: 65_535, isWhole: true };
const seconds: NumberRange = { what: "a number of seconds", from: 0, to: 86_400 };

function readNumber(name: string, text: string | undefined, { what, from, to, isWhole }: NumberRange) {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (number >= from && number <= to && (!isWhole || Number.isInteger(number))) return number;
  throw new UsageError(`${name} must be ${what} from ${from} to ${to}, not "${text}"`);
}
