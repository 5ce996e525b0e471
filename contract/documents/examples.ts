import * as z from "zod/mini";
import { oauthError } from "../api/oauth.ts";
import { validationProblem } from "../api/problem.ts";
import type { Route } from "../api/route.ts";
import { type RouteName, routes } from "../api/routes.ts";

/*
 * Examples of the API's bodies, for openapi.json and docs/api: made of the examples of their fields, which stand beside the
 * fields in contract/api/.
 */

/** The times of all examples: something happened at the first one, and lasts until the other one. */
const [past, future] = ["2026-11-21T10:12:40.112Z", "2027-02-18T16:05:12.480Z"];

/** Part of JSON Schema that zod uses to describe a body. */
interface JsonSchema {
  readonly type?: string;
  readonly format?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
}

/**
 * The example of a body. A field that may be left out is in it if it has an example of its own.
 *
 * @throws Error for a field that needs an example and has none
 */
function exampleOf(schema: z.core.$ZodType, io: "input" | "output"): unknown {
  return exampleIn(z.toJSONSchema(schema, { io }) as JsonSchema, "");
}

/** @throws Error for a field that needs an example and has none */
export function exampleIn(schema: JsonSchema, path: string): unknown {
  const { examples, anyOf, oneOf = anyOf, items, properties, required = [] } = schema;
  if (examples) return examples[0];
  if ("const" in schema) return schema.const;
  if (schema.enum) return schema.enum[0];
  if ("default" in schema) return schema.default;
  if (oneOf?.[0]) return exampleIn(oneOf[0], path);
  if (items) return (items.oneOf ?? [items]).map((item) => exampleIn(item, `${path}/0`));
  if (properties) {
    const shown = Object.entries(properties).filter(([name, field]) => required.includes(name) || hasExample(field));
    return Object.fromEntries(shown.map(([name, field]) => [name, exampleIn(field, `${path}/${name}`)]));
  }
  if (schema.format === "date-time") return /(expires_at|_until)$/.test(path) ? future : past;
  if (schema.type === "boolean") return false;
  throw new Error(`${path} has no example: give one to about() beside the field in contract/api/`);
}

function hasExample({ examples, default: value, items, properties = {} }: JsonSchema): boolean {
  return (
    (examples ?? value) !== undefined || [...(items ? [items] : []), ...Object.values(properties)].some(hasExample)
  );
}

/** The examples of the bodies of a route: of its request, if it has a body, and of its successful response. */
export function examplesOf(name: string): { readonly request?: unknown; readonly response?: unknown } {
  const { body, responses }: Route = routes[name as RouteName];
  const response = Object.values(responses).find((schema) => schema !== null);
  return {
    ...(body && { request: exampleOf(body, "input") }),
    ...(response && { response: exampleOf(response, "output") }),
  };
}

/** Bodies of responses that are not a success, by the name of their schema. */
export const errorExamples = {
  Problem: exampleOf(validationProblem, "output"),
  OAuthError: exampleOf(oauthError, "output"),
};
