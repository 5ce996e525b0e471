import { isDeepStrictEqual } from "node:util";
import * as z from "zod/mini";
import { oauthError } from "../api/login/oauth.ts";
import { problem } from "../api/problem.ts";
import { namedSchemas, schemaNames } from "./schema-names.ts";

/*
 * The schemas of the OpenAPI document.
 */

type Schema = z.core.$ZodType;
type Json = Record<string, unknown>;

/** Part of JSON Schema that zod uses to describe a body. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly allOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
}

/** A named schema; those inside that have a name too are references, and one that adds fields to another refers to it. */
function component(schema: Schema, id: string, io: "input" | "output"): Json {
  const { $defs = {} } = jsonSchema(schema, io) as { $defs?: Record<string, Json> };
  const named = JSON.parse(JSON.stringify($defs[id]).replaceAll("#/$defs/", "#/components/schemas/"), nullAsType);
  const base = io === "output" ? baseOf(schema) : undefined;
  return base ? extending(base, named) : named;
}

/** The named schema with the most fields whose fields this one has, and more, as `z.extend` makes them. */
function baseOf(schema: Schema): { readonly id: string; readonly fields: readonly string[] } | undefined {
  const fields = new Map(Object.entries(shapeOf(schema)));
  const bases = [...namedSchemas]
    .map(([base, { id }]) => ({ id, shape: Object.entries(shapeOf(base)) }))
    .filter(({ shape }) => shape.length > 1 && shape.length < fields.size)
    .filter(({ shape }) => shape.every(([name, field]) => fields.get(name) === field))
    .map(({ id, shape }) => ({ id, fields: shape.map(([name]) => name) }));
  return bases.sort((a, b) => b.fields.length - a.fields.length)[0];
}

const shapeOf = (schema: Schema): Record<string, Schema> => (schema instanceof z.ZodMiniObject ? schema.shape : {});

function extending(base: { readonly id: string; readonly fields: readonly string[] }, { properties, required }: Json) {
  const ownProperties = Object.entries(properties as Json).filter(([name]) => !base.fields.includes(name));
  const ownRequired = (required as string[]).filter((name) => !base.fields.includes(name));
  return {
    allOf: [
      { $ref: `#/components/schemas/${base.id}` },
      {
        type: "object",
        properties: Object.fromEntries(ownProperties),
        ...(ownRequired.length > 0 && { required: ownRequired }),
      },
    ],
  };
}

export function jsonSchema(schema: Schema, io: "input" | "output"): Json & JsonSchema {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io,
    target: "draft-2020-12",
    metadata: schemaNames,
    override: ({ zodSchema, jsonSchema }) => {
      Object.assign(jsonSchema, z.globalRegistry.get(zodSchema));
      // Each refusal has its own (openapi-responses.ts). A client that copies the schema into each would copy all codes.
      if (zodSchema === problem.shape.code) delete jsonSchema.enum;
      // One example for all refusals would contradict the status and the codes of most.
      if (errorFields.has(zodSchema)) delete jsonSchema.examples;
      adjust(jsonSchema as Json, io);
      writeEnum(jsonSchema as Json);
    },
  });
  return rest as Json & JsonSchema;
}

const errorFields = new Set<Schema>([...Object.values(problem.shape), ...Object.values(oauthError.shape)]);

/**
 * `format: date-time` says it all; zod's pattern beside it is 400 characters. Of an integer, zod writes the bounds of a double;
 * `int64` tells the same to generators that otherwise take 32 bits. A response may get more fields later, which a client must not
 * refuse.
 */
function adjust(jsonSchema: Json, io: "input" | "output"): void {
  if (jsonSchema["format"] === "date-time") delete jsonSchema["pattern"];
  if (jsonSchema["minimum"] === Number.MIN_SAFE_INTEGER) delete jsonSchema["minimum"];
  if (jsonSchema["maximum"] === Number.MAX_SAFE_INTEGER) {
    delete jsonSchema["maximum"];
    jsonSchema["format"] = "int64";
  }
  if (io === "output" && saysNothing(jsonSchema)) delete jsonSchema["additionalProperties"];
}

/** More fields may come with any object: one that says so makes generators take each unknown field for one of it. */
function saysNothing({ properties, additionalProperties: more }: Json): boolean {
  return more === false || (properties !== undefined && isDeepStrictEqual(more, {}));
}

/** A constant beside a boolean is an enum of one value: what generators make of `anyOf` with `const` throws when it is sent. */
function writeEnum(schema: Json): void {
  for (const option of (schema["anyOf"] ?? []) as Json[]) {
    if (typeof option["const"] !== "string") continue;
    option["enum"] = [option["const"]];
    delete option["const"];
  }
}

/** A value that may be null gets one schema with two types in place of two schemas, unless it is an object or a list. */
function nullAsType(_name: string, schema: unknown): unknown {
  const { anyOf, ...rest } = (schema ?? {}) as { readonly anyOf?: readonly Json[] };
  if (anyOf?.length !== 2 || anyOf[1]?.["type"] !== "null" || !primitiveTypes.has(anyOf[0]?.["type"])) return schema;
  const [value] = anyOf;
  const values = value?.["enum"] as unknown[] | undefined;
  return { ...value, type: [value?.["type"], "null"], ...(values && { enum: [...values, null] }), ...rest };
}

const primitiveTypes = new Set<unknown>(["string", "integer", "number"]);

/** Every schema that has a name. */
export const namedComponents: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  [...namedSchemas].map(([schema, { id, io }]) => [id, component(schema, id, io)]),
);

/** The named schema that a schema refers to, or else the schema itself. */
export function referenced(schema: JsonSchema): JsonSchema {
  return namedComponents[schema.$ref?.replace("#/components/schemas/", "") ?? ""] ?? schema;
}
