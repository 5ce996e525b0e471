import { epochSeconds } from "./attributes.ts";

/**
 * A condition on the item as it is before the write; the write happens only if it holds. DynamoDB reserves some words: an attribute of
 * such a name stands in expressions as `#name`.
 */
export interface Condition {
  readonly condition: string;
  /** Names that a `#name` stands for if they are no attribute's own name, such as an id. */
  readonly names?: Readonly<Record<string, string>>;
  readonly values?: Readonly<Record<string, unknown>>;
}

export const itemExists: Condition = { condition: "attribute_exists(PK)" };

/** The condition that there is no item, or one whose time is over: DynamoDB deletes late. */
export function absentOrExpired(now: Date): Condition {
  return { condition: "attribute_not_exists(PK) OR #ttl <= :now", values: { ":now": epochSeconds(now) } };
}

/** Attributes of an item to be set; undefined leaves one as it is. */
export type Attributes<Item> = { readonly [Name in keyof Item]?: Item[Name] | undefined };

/** The condition that attributes of an item are as they were read; one that was missing still is. */
export function asRead(attributes: Readonly<Record<string, unknown>>) {
  const all = Object.entries(attributes);
  const entries = all.filter(([, value]) => value !== undefined);
  return {
    condition: all
      .map(([name, value]) => (value === undefined ? `attribute_not_exists(#${name})` : `#${name} = :seen_${name}`))
      .join(" AND "),
    values: Object.fromEntries(entries.map(([name, value]) => [`:seen_${name}`, value])),
  };
}

/** The condition that the attributes which a change sets are as they were read. */
export function unchangedAttributes<Item extends object>(read: Item, changes: Attributes<Item>) {
  const set = Object.entries(changes).filter(([, value]) => value !== undefined);
  return asRead(Object.fromEntries(set.map(([name]) => [name, read[name as keyof Item]])));
}

/** The UpdateExpression that sets attributes, with its values. */
export function setAttributes(attributes: object) {
  const changes = Object.entries(attributes).filter(([, value]) => value !== undefined);
  return {
    expression: `SET ${changes.map(([name]) => `#${name} = :set_${name}`).join(", ")}`,
    values: Object.fromEntries(changes.map(([name, value]) => [`:set_${name}`, value])),
  };
}

export type Conditions = readonly (Partial<Condition> | false | undefined)[];

/** The parameters of a write for which all conditions must hold, and of its UpdateExpression. */
export function parametersOf(all: Conditions, expression = "") {
  const conditions = all.filter((each) => each !== undefined && each !== false);
  const condition = conditions.flatMap((each) => each.condition ?? []).join(" AND ");
  const values = Object.assign({}, ...conditions.map((each) => each.values));
  const given = Object.assign({}, ...conditions.map((each) => each.names));
  const used = `${expression} ${condition}`.match(/#\w+/g) ?? [];
  // DynamoDB refuses an empty map.
  return {
    ConditionExpression: condition || undefined,
    ...(used.length > 0 && {
      ExpressionAttributeNames: Object.fromEntries(used.map((name) => [name, given[name] ?? name.slice(1)])),
    }),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  };
}
