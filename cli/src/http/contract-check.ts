import * as z from "zod/mini";
import type { Route } from "../../../contract/api/route.ts";
import { routes } from "../../../contract/api/routes.ts";

/**
 * Whether a body is not as the contract has it for this route and status. Members that the contract does not name are those of a newer API.
 *
 * In a bundle of its own (cli/build.ts), because only a failure needs the schemas.
 */
export function breaksContract(line: string, status: number, body: unknown): boolean {
  const route = Object.values<Route>(routes).find(({ method, path }) => `${method} ${path}` === line);
  const schema = route?.responses[status];
  if (!schema) return body !== undefined && route !== undefined;
  const { error } = z.safeParse(schema, body);
  return error?.issues.some(({ code }) => code !== "unrecognized_keys") ?? false;
}
