import { readFileSync } from "node:fs";
import { type IPolicyValidationPlugin, type PolicyViolation, type Stack, Validations } from "aws-cdk-lib";
import { ConfigurationError } from "../settings/stage.ts";

const name = "IDP_AUTH_EMULATOR_HOST";

/**
 * With emulator authentication anybody can sign in as anybody, so no deployed stage may use it: synthesis fails while the
 * variable is set, or if a resource of the finished template contains its name, by whatever way it came there.
 *
 * @throws ConfigurationError if the variable is set in `environment`; synthesis reports a resource that has it
 */
export function refuseEmulator(stack: Stack, environment: NodeJS.ProcessEnv): void {
  if (environment[name] !== undefined)
    throw new ConfigurationError(
      `${name} is set. It accepts unsigned ID tokens and is only for the local service: unset it, then try again.`,
    );
  Validations.of(stack).addPlugins(noEmulator);
}

const noEmulator: IPolicyValidationPlugin = {
  name: "no-emulator",
  validate: ({ templatePaths }) => {
    const violations = templatePaths.flatMap(resourcesWithEmulator);
    return { success: violations.length === 0, violations };
  },
};

function resourcesWithEmulator(templatePath: string): PolicyViolation[] {
  const { Resources = {} } = JSON.parse(readFileSync(templatePath, "utf8"));
  return Object.entries<object>(Resources)
    .filter(([, resource]) => JSON.stringify(resource).includes(name))
    .map(([resourceLogicalId]) => ({
      ruleName: "no-emulator",
      description: `${resourceLogicalId} has ${name}, which accepts unsigned ID tokens: anybody could be anybody`,
      fix: "Take the variable out. Only the local service may have it.",
      violatingResources: [{ resourceLogicalId, templatePath, locations: [] }],
    }));
}
