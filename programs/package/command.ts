#!/usr/bin/env node
/*
 * `npx --no @svc-publish/cdk deploy STAGE` and `npx --no @svc-publish/cdk operator …`: what npm runs by these names in the repository, for whoever has
 * no clone of it (infra/home.ts).
 */
await import("../stage-options.ts");
const [, , name, ...rest] = process.argv;
if (name === "deploy") {
  const { runDeploy } = await import("../../infra/deploy.ts");
  await runDeploy(rest);
} else if (name === "operator") {
  const { runOperator } = await import("../../infra/operator/operator.ts");
  await runOperator(rest);
} else {
  console.error(`Usage:
  npx --no @svc-publish/cdk deploy STAGE [--yes] [--stages FILE] [--first-developer EMAIL]
  npx --no @svc-publish/cdk operator --stage STAGE COMMAND    (operator --help)

STAGE is a stage of svc.stages.json in this folder, which deploy writes after three questions.`);
  process.exitCode = 1;
}
