import fc from "fast-check";
import * as z from "zod/mini";
import { anyText } from "../../support/any-text.ts";

/** A schema as JSON Schema has it, of which this reads a part. */
interface JsonSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly format?: string;
  readonly maxLength?: number;
  readonly maximum?: number;
  readonly minimum?: number;
}

/** Replaced in texts by the request's own mark when it is sent. */
export const markPlaceholder = "MARK";

const oddStrings = [
  "",
  " ",
  markPlaceholder,
  `${markPlaceholder}\u0000`,
  `${markPlaceholder}\n${markPlaceholder}`,
  `${markPlaceholder}\ud800`,
  `\udfff${markPlaceholder}`,
  `\u202e${markPlaceholder}`,
  `${markPlaceholder}${"\u0301".repeat(200)}`,
  "🧑‍🚀".repeat(40),
  `${markPlaceholder}@example.test`,
  `https://${markPlaceholder}.example/a.png`,
  `javascript:alert("${markPlaceholder}")`,
  `../../${markPlaceholder}`,
  "constructor",
  "__proto__",
  "null",
  "2026-11-21T00:00:00Z",
  "9999-12-31T23:59:59.999Z",
  "2026-02-30T25:61:61Z",
  "+275760-09-13T00:00:00.001Z",
  "$ne",
  "{{7*7}}",
  "%00",
  "ACCOUNT#",
  "a".repeat(64),
];

const oddNumbers = ["0", "-0", "-1", "1e400", "-1e400", "1e-400", "0.1", "9007199254740993", "1E3", "365", "366"];
const oddKeys = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "PK",
  "SK",
  "role",
  "uid",
  "ttl",
  "",
  markPlaceholder,
];

/** JSON texts and not values, because a value cannot have a key twice, or `__proto__` as a key. */
type Json = fc.Arbitrary<string>;

const text = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: "grapheme", maxLength: 30 }).map((value) => value + markPlaceholder) },
  { weight: 3, arbitrary: fc.constantFrom(...oddStrings) },
  { weight: 1, arbitrary: anyText({ maxLength: 20 }) },
);
const longText = fc.integer({ min: 1, max: 200_000 }).map((length) => JSON.stringify("x".repeat(length)));
const deep = fc
  .tuple(fc.constantFrom(["[", "]"], ['{"a":', "}"]), fc.integer({ min: 10, max: 20_000 }))
  .map(([[open = "", close = ""], depth]) => `${open.repeat(depth)}1${close.repeat(depth)}`);

/** Anything. */
const anyJson: Json = fc.oneof(
  { weight: 6, arbitrary: text.map((value) => JSON.stringify(value)) },
  { weight: 4, arbitrary: fc.constantFrom(...oddNumbers, "null", "true", "false", "[]", "{}", "[[]]", '{"":{}}') },
  { weight: 4, arbitrary: fc.json({ maxDepth: 3 }) },
  { weight: 1, arbitrary: longText },
  { weight: 1, arbitrary: deep },
);

/** Texts that almost fit the schema: mostly right, sometimes wrong in one place, with unknown fields. */
export function jsonNear(schema: z.core.$ZodType): Json {
  return near(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonSchema);
}

function near(schema: JsonSchema): Json {
  return fc.oneof({ weight: 8, arbitrary: fitting(schema) }, { weight: 1, arbitrary: anyJson });
}

function fitting(schema: JsonSchema): Json {
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(near));
  if (schema.enum) return fc.constantFrom(...schema.enum.map((value) => JSON.stringify(value)));
  if ("const" in schema) return fc.constant(JSON.stringify(schema.const));
  switch (schema.type) {
    case "object":
      return object(schema.properties ?? {});
    case "array":
      return fc.array(near(schema.items ?? {}), { maxLength: 4 }).map((items) => `[${items.join(",")}]`);
    case "integer":
    case "number":
      return fc.oneof(
        fc
          .integer({ min: schema.minimum ?? 0, max: Math.max(schema.maximum ?? 1_000, schema.minimum ?? 0) })
          .map(String),
        fc.constantFrom(...oddNumbers),
      );
    case "boolean":
      return fc.constantFrom("true", "false");
    case "null":
      return fc.constant("null");
    case "string":
      return string(schema);
    default:
      return anyJson;
  }
}

function string({ format, maxLength = 80 }: JsonSchema): Json {
  const usual =
    format === "date-time"
      ? fc
          .date({ noInvalidDate: true, min: new Date(), max: new Date(Date.now() + 4e10) })
          .map((date) => date.toISOString())
      : fc.string({ minLength: 1, maxLength: Math.min(maxLength, 40) }).map((value) => `${markPlaceholder}${value}`);
  const slug = fc.stringMatching(/^[a-z0-9][a-z0-9-]{1,20}[a-z0-9]$/);
  const sha256 = fc.stringMatching(/^[0-9a-f]{64}$/);
  return fc.oneof(usual, usual, slug, sha256, text).map((value) => JSON.stringify(value));
}

function object(properties: Readonly<Record<string, JsonSchema>>): Json {
  const known = Object.entries(properties).map(([key, schema]) =>
    fc.option(
      near(schema).map((value) => [[key, value]]),
      { freq: 6, nil: [] },
    ),
  );
  const odd = fc.oneof(
    { weight: 8, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...oddKeys), anyJson).map((entry) => [entry]) },
  );
  // The same key twice: the last one counts, or it is refused.
  const doubled = fc.oneof({ weight: 12, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) });
  return fc.tuple(fc.tuple(...known), odd, doubled).map(([entries, more, isDoubled]) => {
    const all = [...entries.flat(), ...more] as [string, string][];
    const written = [...all, ...(isDoubled ? all : [])].map(([key, value]) => `${JSON.stringify(key)}:${value}`);
    return `{${written.join(",")}}`;
  });
}
