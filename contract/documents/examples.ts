import * as z from "zod/mini";
import { oauthError } from "../api/login/oauth.ts";
import { validationProblem } from "../api/problem.ts";
import type { Route } from "../api/route.ts";
import { type RouteName, routes } from "../api/routes.ts";
import { type JsonSchema, referenced } from "./openapi-schemas.ts";
import { schemaReference } from "./schema-names.ts";

/*
 * Examples of parameters and bodies, for openapi.json and its tests: made of the examples of their fields, which stand beside the
 * fields in contract/api/.
 */

/** The times of all examples: something happened at the first one, and lasts until the other one. */
const [past, future] = ["2026-11-21T10:12:40.112Z", "2027-02-18T16:05:12.480Z"];

/**
 * The example of a schema. A field that may be left out is in it if it has an example of its own.
 *
 * @throws Error for a field that needs an example and has none
 */
export function exampleIn(schema: JsonSchema, path = ""): unknown {
  const { examples, allOf, anyOf, oneOf = anyOf, items, properties, required = [] } = schema;
  if (examples) return examples[0];
  if (schema.$ref) return exampleIn(referenced(schema), path);
  if (allOf) return Object.assign({}, ...allOf.map((part) => exampleIn(part, path)));
  if ("const" in schema) return schema.const;
  if (schema.enum) return schema.enum[0];
  if ("default" in schema) return schema.default;
  if (oneOf?.[0]) return exampleIn(oneOf[0], path);
  if (items) return (referenced(items).oneOf ?? [items]).map((item) => exampleIn(item, `${path}/0`));
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
    ...(body && { request: exampleIn(schemaReference(body)) }),
    ...(response && { response: exampleIn(schemaReference(response)) }),
  };
}

/** Bodies of responses that are not a success, by the name of their schema. */
export const errorExamples = {
  Problem: exampleIn(z.toJSONSchema(validationProblem) as JsonSchema),
  OAuthError: exampleIn(z.toJSONSchema(oauthError) as JsonSchema),
};
