import type { LocalOption } from "./option.ts";

/** The environment variables of `npm start` with their lines of the help; docs/local.md says more about some. */
const coreSettings = {
  PORT: "port of the API, 8787 by default; 0 takes a free one",
  SVC_HOST: "name below which GAMES ARE ON THE NETWORK too, for phones: 192-168-1-5.sslip.io; without it nothing is",
  IDP_PORT: "port of the local identity provider, 8788 by default; 0 takes a free one",
  S3_PORT: "port of the embedded S3 server, PORT + 2 by default; 0 takes a free one, and so does PORT=0",
  SVC_DATA: "folder for tables, files, logs and the keys that sign; without it all are deleted at the end",
  SVC_SWEEP_SECONDS: "seconds between two runs of the sweep, which deletes old releases, 900 by default; 0: none",
  SVC_POINTERS_SECONDS: "seconds between two looks for pointers that wait to be written, 5 by default; 0: none",
  SVC_SCHEDULED_SECONDS: "seconds between two looks for scheduled releases whose time has come, 2 by default; 0: none",
  SVC_COLD_LOCATIONS: "locations of a games' edge that evicts, starts cold and more, 3 for a trial; 0 by default: none",
  SVC_REQUESTS_PER_SECOND: "requests a second that all routes let through together before 429; without it, all",
  SVC_WEB_ORIGINS: "origins of your own pages that call the API, separated by commas: http://localhost:5173",
  REPORT_URL: "https or mailto URL where games are reported, {slug} in the place of the slug; empty: no link",
  JOB_ISSUERS: "self-hosted issuers of CI jobs: github=https://…/_services/token,gitlab=https://…; http on loopback",
  MAX_TOKEN_DAYS: "the longest lifetime of a new token in days, 365 by default",
  IDP_ISSUER: "another identity provider: the `iss` of its ID tokens",
  IDP_AUDIENCE: "the `aud` of its ID tokens for this service, svc-local by default",
  IDP_JWKS_URI: "URL of its keys; without it, its discovery document names it",
  IDP_TRUSTED_AUDIENCES: "audiences that an ID token may have besides ours, separated by commas",
  IDP_AUTHORIZED_PARTIES: "other applications to which ID tokens may be issued (`azp`), separated by commas",
  IDP_TENANT: "the only Firebase tenant whose ID tokens are accepted",
  IDP_TOKEN_LIFETIME_HOURS: "the longest lifetime of an ID token that is accepted, 24 by default",
  IDP_SIGN_IN_MINUTES:
    "how old the sign-in may be to create tokens, to delete and more (docs/local.md); without it, of any age",
  IDP_ACR_VALUES:
    "values of `acr`, separated by commas, of which a sign-in must have one to make live where a person does (docs/local.md)",
  IDP_AUTH_EMULATOR_HOST: "accept UNSIGNED ID tokens, as of the Firebase emulator; IDP_AUDIENCE is its project",
  DYNAMODB_ENDPOINT: "a DynamoDB engine instead of the embedded one",
  GAMES_STORE_ENDPOINT:
    "a key-value store of the games' edge instead of the embedded one; empty: none, as on a stage without such an edge",
  S3_ENDPOINT: "an S3 server instead of the embedded one; its bucket must exist",
  TABLE_NAME: "name of the table, svc-local by default",
  BUCKET_NAME: "name of the bucket, svc-local by default",
  LEFT_OUT_OPTIONS: "options that the service leaves out, as a stage may, separated by commas",
} as const;

export type Setting = keyof typeof coreSettings;

/** Every environment variable of `npm start` with these options. */
export function settingsWith(options: readonly LocalOption[]): Readonly<Record<string, string>> {
  return Object.assign({ ...coreSettings }, ...options.map(({ settings }) => settings));
}

/** Text that `npm start -- --help` prints. */
export function help(options: readonly LocalOption[]): string {
  const settings = settingsWith(options);
  const width = Math.max(...Object.keys(settings).map((name) => name.length)) + 2;
  const lines = Object.entries(settings).map(([name, text]) => `  ${name.padEnd(width)}${text}`);
  return `Runs the whole service on this machine until Ctrl-C. It is configured by environment variables:

${lines.join("\n")}

docs/local.md has examples, and what another engine, store or identity provider must do.`;
}
