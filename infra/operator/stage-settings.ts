import * as environment from "../../functions/environment.ts";
import { type Aws, exportedCredentials } from "../deployment/aws-command.ts";
import { deployedOutputs } from "../deployment/stack-outputs.ts";
import { distributionOutput, domainOutput } from "../games/games-names.ts";
import { readConfiguredStage } from "../settings/configured-stages.ts";
import { userPoolOutputs } from "../settings/stage.ts";
import { leftOutOptions, optionEnvironment } from "../settings/stage-option.ts";
import { readLocalService } from "./local-service.ts";
import { UsageError } from "./usage.ts";

/* Where the operator's commands work: they take from the environment what the functions of the stage do. */

/** The settings that a stage's outputs name, by the outputs' names. What the environment sets already stays. */
const outputs = {
  TableName: "TABLE_NAME",
  [userPoolOutputs.issuer]: "IDP_ISSUER",
  GamesStoreArn: "GAMES_STORE_ARN",
  [distributionOutput]: "GAMES_DISTRIBUTION_ID",
};

/**
 * Sets what names a deployed stage's table, and its games' edge if it has one.
 *
 * @throws UsageError if its stack has no such output; ConfigurationError if there is no stack
 */
export async function useStage(
  name: string,
  path: string | undefined,
  command: (region: string) => Aws,
): Promise<void> {
  const stage = readConfiguredStage(name, path);
  const { identityProvider, region, gamesDomain } = stage;
  setOptions(stage);
  process.env["GAMES_DOMAIN"] = gamesDomain?.name ?? "";
  const hasPool = identityProvider === "cognito";
  process.env["IDP_ISSUER"] = hasPool ? "" : identityProvider.issuer;
  process.env["AWS_REGION"] = region;
  const aws = await signedIn(command(region));
  const isNeeded = (output: string) =>
    output === "TableName" || (output === userPoolOutputs.issuer ? hasPool : gamesDomain !== undefined);
  const needed = Object.entries(outputs).filter(([output]) => isNeeded(output));
  if (needed.every(([, variable]) => process.env[variable])) return;
  const stack = `svc-${name}`;
  const values = await deployedOutputs({ name: stack, region, aws });
  for (const [output, variable] of needed) {
    const value = process.env[variable] || values.get(output);
    if (!value) throw new UsageError(`The stack ${stack} has no output ${output}: deploy it, or set ${variable}.`);
    process.env[variable] = value;
  }
}

/**
 * Sets what names the service in a stack of somebody's own (docs/operations/construct.md), in the region of the environment, and its games' edge if it
 * has one.
 *
 * @throws UsageError if the stack has no service; ConfigurationError if there is no stack
 */
export async function useStack(stack: string, command: (region: string) => Aws): Promise<void> {
  const region = process.env["AWS_REGION"] || process.env["AWS_DEFAULT_REGION"];
  if (!region) throw new UsageError("--stack needs the stack's region in AWS_REGION.");
  const outputs = await deployedOutputs({ name: stack, region, aws: await signedIn(command(region)) });
  const needed = ["TableName", userPoolOutputs.issuer].find((name) => !outputs.get(name));
  if (needed !== undefined) throw new UsageError(`The stack ${stack} has no output ${needed}: is a Svc in it?`);
  Object.assign(process.env, {
    AWS_REGION: region,
    TABLE_NAME: process.env["TABLE_NAME"] || outputs.get("TableName"),
    IDP_ISSUER: outputs.get(userPoolOutputs.issuer),
    GAMES_DOMAIN: outputs.get(domainOutput) ?? "",
    GAMES_STORE_ARN: outputs.get("GamesStoreArn") ?? "",
    GAMES_DISTRIBUTION_ID: outputs.get(distributionOutput) ?? "",
  });
  useOptions(outputs.get("LeftOutOptions"));
}

/** Sets what the functions of a stage are told that leaves these options out, which are separated by commas. */
export function useOptions(leftOut = ""): void {
  setOptions(Object.fromEntries(leftOut.split(",").map((name) => [name, false])));
}

function setOptions(stage: object): void {
  const nothing = Object.fromEntries(Object.keys(optionEnvironment({})).map((name) => [name, ""]));
  Object.assign(process.env, nothing, optionEnvironment(stage), { LEFT_OUT_OPTIONS: leftOutOptions(stage).join(",") });
}

/** The command line, whose credentials the functions get too, unless the environment has some. */
async function signedIn(aws: Aws): Promise<Aws> {
  if (!process.env["AWS_ACCESS_KEY_ID"]) Object.assign(process.env, await exportedCredentials(aws));
  return aws;
}

/** @throws UsageError if none runs at PORT */
export function useLocalService(): void {
  const port = process.env["PORT"] || "8787";
  const settings = readLocalService(port);
  if (settings === undefined) throw new UsageError(`No local service runs at port ${port}: npm start, or set PORT.`);
  Object.assign(process.env, settings);
}

/** @throws UsageError without the store of the games' edge: players would go on playing what is taken down */
export function refuseWithoutStore(stage: string | undefined): void {
  if (environment.gamesStoreArn() !== undefined) return;
  if (stage !== undefined && stage !== "local" && environment.gamesDomain() === undefined) return;
  throw new UsageError(
    "GAMES_STORE_ARN is not set, so players would go on playing. Set it, or --without-games if nothing plays games.",
  );
}
