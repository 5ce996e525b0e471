import type { DeployedStage } from "../deployment/deployed-stage.ts";

/** A fact about a stage; what to do if it does not hold; and the function that returns what is wrong. */
export interface StageCheck {
  readonly fact: string;
  readonly advice: string;
  readonly find: (stage: DeployedStage) => Promise<string | undefined>;
}

/** Lambda's own response to a run: a function that failed has `FunctionError` in it. */
export async function runFunction({ name, aws }: DeployedStage, job: string): Promise<string | undefined> {
  const result = await aws(
    "lambda",
    "invoke",
    "--function-name",
    `svc-${name}-${job}`,
    "--payload",
    "e30=",
    "/dev/null",
  );
  return result.FunctionError === undefined ? undefined : `svc-${name}-${job} failed with ${result.FunctionError}`;
}
