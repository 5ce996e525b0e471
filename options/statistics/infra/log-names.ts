/* Names of the games' access log, for stacks and checks. Without the CDK, which takes a command seconds to load. */

/** The output of the stage's stack with the ARN of the bucket of the games' access log. */
export const logBucketOutput = "GamesLogBucketArn";

/**
 * The bucket's folder of rows, which the destination names. Without one of its own CloudFront adds `AWSLogs/ACCOUNT/CloudFront/` when a
 * delivery is created, and an update of the delivery takes it away (aws-cloudformation/cloudformation-coverage-roadmap#2274).
 */
export const logPrefix = "log";
/** Folders by hours. The partition is the day. */
export const logSuffix = "{yyyy}/{MM}/{dd}/{HH}";
