import * as z from "zod/mini";
import type { Route } from "../../../contract/api/route.ts";

/** What a function has read of its requests; fields are as `files[].br.size`. */
export interface NotedFields {
  /** Fields that were read by name. */
  readonly named: Set<string>;
  /** Objects of which all fields were read, as spreading and storing does; "" is the whole. */
  readonly copied: Set<string>;
}

type Part = "body" | "query" | "params";
type Schema = z.core.$ZodTypes;

/** Notes from now on which fields of these parts of a route's requests its function reads. */
export function noteFields(route: Route, parts: readonly Part[]): NotedFields {
  const noted: NotedFields = { named: new Set(), copied: new Set() };
  for (const part of parts) {
    const schema = route[part];
    if (schema === undefined) continue;
    const noting = z.pipe(
      schema as z.ZodMiniType,
      z.transform((value) => noteReads(value, noted)),
    );
    // serveForm() asks a form for its names.
    Object.assign(route, { [part]: Object.assign(noting, { shape: (schema as z.ZodMiniObject).shape }) });
  }
  return noted;
}

/** A value that notes what is read of it. */
export function noteReads<Value>(value: Value, noted: NotedFields, path = ""): Value {
  if (typeof value !== "object" || value === null) return value;
  const within = (name: string) => (Array.isArray(value) ? `${path}[]` : path === "" ? name : `${path}.${name}`);
  // Spreading, Object.entries() and JSON.stringify() look at each property before they read it.
  const looked = new Set<string>();
  return new Proxy<Value & object>(value, {
    ownKeys: (target) => {
      noted.copied.add(path);
      return Reflect.ownKeys(target);
    },
    getOwnPropertyDescriptor: (target, name) => {
      looked.add(String(name));
      return Reflect.getOwnPropertyDescriptor(target, name);
    },
    get: (target, name, receiver) => {
      const member: unknown = Reflect.get(target, name, receiver);
      if (typeof name === "symbol" || typeof member === "function") return member;
      if (!looked.delete(name)) noted.named.add(within(name));
      return noteReads(member, noted, within(name));
    },
  });
}

/** Whether a field was read with all others of its object. */
export function isCopied(field: string, { copied }: NotedFields): boolean {
  return copied.has(field.includes(".") ? field.slice(0, field.lastIndexOf(".")) : "");
}

/** The names and values of a JSON value's fields at any depth, but of those that are objects. */
export function membersOf(value: unknown): (readonly [name: string, value: unknown])[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    typeof member === "object" && member !== null && !isListOfTexts(member)
      ? membersOf(member)
      : [[name, member] as const],
  );
}

/** Whether a member is a value of its own: a list of texts has no members. */
function isListOfTexts(value: object): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === "string");
}

/** All fields of a schema. */
export function fieldsOf(schema: z.core.$ZodType | undefined, path = ""): string[] {
  if (schema === undefined) return [];
  const { def } = (schema as Schema)._zod;
  switch (def.type) {
    case "object":
      return Object.entries(def.shape).flatMap(([name, field]) => {
        const own = path === "" ? name : `${path}.${name}`;
        return [own, ...fieldsOf(field, own)];
      });
    case "array":
      return fieldsOf(def.element, `${path}[]`);
    case "union":
      return [...new Set(def.options.flatMap((option) => fieldsOf(option, path)))];
    case "optional":
    case "nullable":
    case "default":
      return fieldsOf(def.innerType, path);
    default:
      return [];
  }
}
