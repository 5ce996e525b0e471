/* Names in a stage's games that stacks, commands and checks share. Without the CDK, which takes a command seconds to load. */

/** The output of the stage's stack with the id of the games' distribution. */
export const distributionOutput = "GamesDistributionId";
