import { apiOrigin } from "../environment.ts";

/**
 * The API's one origin, which is the issuer of its tokens: what the stage is configured with, whatever name a request was
 * sent to. A deployed stage without a domain has one host name only, which API Gateway gives it and routes by.
 */
export function apiOriginOf(headers: Readonly<Record<string, string | undefined>>): string {
  return apiOrigin() ?? `https://${headers["host"]}`;
}
