import { ConfigurationError } from "../settings/stage.ts";
import type { Json, StackPlace } from "./aws-command.ts";

/** A stack as CloudFormation describes it; undefined: there is none. */
export async function describeStack({ aws, name }: Pick<StackPlace, "aws" | "name">): Promise<Json | undefined> {
  try {
    const { Stacks } = await aws("cloudformation", "describe-stacks", "--stack-name", name);
    return Stacks[0];
  } catch (error) {
    if ((error as Error).message.includes("does not exist")) return undefined;
    throw error;
  }
}

/** Outputs of a stack by name; undefined: there is no such stack. */
export async function outputsOf(
  place: Pick<StackPlace, "aws" | "name">,
): Promise<ReadonlyMap<string, string> | undefined> {
  const stack = await describeStack(place);
  return stack && new Map((stack.Outputs ?? []).map(({ OutputKey, OutputValue }: Json) => [OutputKey, OutputValue]));
}

/**
 * Outputs of a stack that must be there.
 *
 * @throws ConfigurationError if there is no such stack
 */
export async function deployedOutputs(place: StackPlace): Promise<ReadonlyMap<string, string>> {
  const outputs = await outputsOf(place);
  if (outputs !== undefined) return outputs;
  throw new ConfigurationError(
    `The account has no stack ${place.name} in ${place.region}: deploy it, or correct its name, its region or AWS_PROFILE.`,
  );
}
