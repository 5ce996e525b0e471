import { Logger } from "@aws-lambda-powertools/logger";

/* Replaces functions/http/log.ts in the usual build: the same lines by Powertools' Logger. */
const logger = new Logger({ serviceName: "svc" });

export function log({ level, message, ...line }: { level: "warn" | "error"; message: string; error?: unknown }): void {
  logger[level](message, line as Record<string, string>);
}
