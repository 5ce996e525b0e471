/* What stacks, commands and checks call the same of a stage's games. Without the CDK, which a command loads in seconds. */

/** The output of the stage's stack with the id of the games' distribution. */
export const distributionOutput = "GamesDistributionId";
