import { CfnFunction } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import { ConfigurationError } from "./stage.ts";

const name = "IDP_AUTH_EMULATOR_HOST";

/**
 * With emulator authentication anybody can sign in as anybody, so no deployed stage may use it: synthesis fails while the
 * variable is set, or where a function's environment contains it.
 *
 * @throws ConfigurationError where the variable is set in `environment`; synthesis reports a function that has it
 */
export function refuseEmulator(scope: Construct, environment: NodeJS.ProcessEnv): void {
  if (environment[name] !== undefined)
    throw new ConfigurationError(
      `${name} is set. It accepts unsigned ID tokens and is only for the local service: unset it, then try again.`,
    );
  scope.node.addValidation({ validate: () => functionsWithEmulator(scope) });
}

function functionsWithEmulator(scope: Construct): string[] {
  return scope.node
    .findAll()
    .filter((construct) => construct instanceof CfnFunction)
    .filter((lambda) => JSON.stringify(lambda.stack.resolve(lambda.environment) ?? {}).includes(`"${name}"`))
    .map((lambda) => `${lambda.node.path} has ${name}, which accepts unsigned ID tokens, in its environment`);
}
