import { Logger } from "@aws-lambda-powertools/logger";

/* Stands in for functions/http/log.ts in the usual build: the same lines by the logger that Lambda functions usually have. */
const logger = new Logger({ serviceName: "svc" });

export function log({ level, message, ...line }: { level: "warn" | "error"; message: string; error?: unknown }): void {
  logger[level](message, line as Record<string, string>);
}
