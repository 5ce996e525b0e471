import { paginateQuery, paginateScan } from "@aws-sdk/lib-dynamodb";
import type { TestService } from "./service.ts";

/** An item as it is stored. */
export type Stored = Record<string, unknown>;

type Store = Pick<TestService, "table" | "tableName">;

/** Every item of the service's table in the order of their keys, so that two looks at it can be compared. */
export async function everyItem({ table, tableName }: Store): Promise<Stored[]> {
  const items: Stored[] = [];
  for await (const page of paginateScan({ client: table }, { TableName: tableName, ConsistentRead: true }))
    items.push(...(page.Items ?? []));
  return items.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** Every item of one partition in the order of their sort keys. */
export async function itemsOf({ table, tableName }: Store, partition: string): Promise<Stored[]> {
  const query = {
    TableName: tableName,
    KeyConditionExpression: "PK = :partition",
    ExpressionAttributeValues: { ":partition": partition },
    ConsistentRead: true,
  };
  const items: Stored[] = [];
  for await (const page of paginateQuery({ client: table }, query)) items.push(...(page.Items ?? []));
  return items;
}

function keyOf({ PK, SK }: Stored): string {
  return `${PK} ${SK}`;
}
