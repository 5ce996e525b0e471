import type * as z from "zod/mini";
import { limits } from "../api/limits.ts";
import type { Route } from "../api/route.ts";
import { documentedRoutes } from "./documented-routes.ts";
import { exampleIn } from "./examples.ts";
import { jsonSchema } from "./openapi-schemas.ts";
import { schemaPrefix } from "./schema-names.ts";

/*
 * The parameters of the routes in the OpenAPI document.
 */

type Json = Record<string, unknown>;

/** A conditional request (RFC 9110, section 13.1.2), if a response has an ETag. */
const ifNoneMatch = {
  name: "If-None-Match",
  in: "header",
  required: false,
  description: "The ETag of an earlier response; 304 says that nothing has changed.",
  schema: { type: "string" },
  example: '"90096df085a22d3734b4eaf6ea3ec3395e0fb2c6418a262d84c1c567d10f48bb"',
};

/** Preconditions of a change (RFC 9110, sections 13.1.1 and 13.1.4). */
const preconditions = [
  {
    name: "If-Match",
    in: "header",
    required: false,
    description: "The ETag of the response that the change is based on; if there was another change since then, 412.",
    schema: { type: "string" },
    example: '"90096df085a22d3734b4eaf6ea3ec3395e0fb2c6418a262d84c1c567d10f48bb"',
  },
  {
    name: "If-Unmodified-Since",
    in: "header",
    required: false,
    description: "The same by Last-Modified, to the second, if a response had one and there is no If-Match.",
    schema: { type: "string" },
    example: "Sat, 05 Sep 2026 09:14:03 GMT",
  },
];

const idempotencyKeyPattern = `[\\w.~:+/=-]{1,${limits.idempotencyKeyLength}}`;

/** draft-ietf-httpapi-idempotency-key-header-07, section 2. */
const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "A key of the client's choice for this creation, for example a UUID. Sent again with the same key within a day, the request creates nothing more and responds with what it created.",
  schema: { type: "string", pattern: `^(?:${idempotencyKeyPattern}|"${idempotencyKeyPattern}")$` },
  example: '"8e03978e-40d5-43dd-bc93-6894a57f9324"',
};

interface Parameter {
  readonly name: string;
}

function ownParameters(route: Route): Parameter[] {
  return [
    ...parametersIn("path", route.params),
    ...parametersIn("query", route.query),
    ...(304 in route.responses ? [ifNoneMatch] : []),
    ...(route.preconditions ? preconditions : []),
    ...(route.idempotencyKey ? [idempotencyKey] : []),
  ];
}

function parametersIn(place: "path" | "query", schema: z.core.$ZodType | undefined): Parameter[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = jsonSchema(schema, "input");
  return Object.entries(properties).map(([name, { description, examples, ...property }]) => ({
    name,
    in: place,
    required: place === "path" || required.includes(name),
    description,
    schema: property,
    example: exampleIn({ ...property, ...(examples && { examples }) }, name),
  }));
}

/** The names of the parameters that several routes have: that of the parameter, or else with the first route that has it. */
const sharedNames: ReadonlyMap<string, string> = namedParameters();

function namedParameters() {
  const all = documentedRoutes.flatMap(([routeName, route]) =>
    ownParameters(route).map((parameter) => ({ routeName, parameter, key: JSON.stringify(parameter) })),
  );
  const names = new Map<string, string>();
  for (const [key, [first, ...others]] of Map.groupBy(all, (each) => each.key)) {
    if (first === undefined || others.length === 0) continue;
    const { name } = first.parameter;
    const isTaken = [...names.values()].includes(name);
    names.set(key, isTaken ? `${name}Of${schemaPrefix(first.routeName)}` : name);
  }
  return names;
}

/** A route's parameters; one that other routes have too is a reference to `sharedParameters`. */
export function parametersOf(route: Route): Json[] {
  return ownParameters(route).map((parameter) => {
    const shared = sharedNames.get(JSON.stringify(parameter));
    return shared === undefined ? { ...parameter } : { $ref: `#/components/parameters/${shared}` };
  });
}

export function sharedParameters(): Json {
  return Object.fromEntries([...sharedNames].map(([key, name]) => [name, JSON.parse(key)]));
}
