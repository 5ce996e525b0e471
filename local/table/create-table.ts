import {
  CreateTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";
import { attributes } from "../../functions/table/attributes.ts";

/** Creates the table like infra does, unless it exists: two string keys, billed on demand, with time to live. */
export async function createTable(endpoint: string, tableName: string): Promise<void> {
  const client = new DynamoDBClient({ endpoint });
  try {
    await createKeys(client, tableName);
    await waitUntilTableExists({ client, maxWaitTime: 30, minDelay: 1 }, { TableName: tableName });
    await enableTimeToLive(client, tableName);
  } finally {
    client.destroy();
  }
}

async function createKeys(client: DynamoDBClient, tableName: string): Promise<void> {
  const { partitionKey, sortKey } = attributes;
  try {
    await client.send(
      new CreateTableCommand({
        TableName: tableName,
        BillingMode: "PAY_PER_REQUEST",
        AttributeDefinitions: [
          { AttributeName: partitionKey, AttributeType: "S" },
          { AttributeName: sortKey, AttributeType: "S" },
        ],
        KeySchema: [
          { AttributeName: partitionKey, KeyType: "HASH" },
          { AttributeName: sortKey, KeyType: "RANGE" },
        ],
      }),
    );
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
  }
}

async function enableTimeToLive(client: DynamoDBClient, tableName: string): Promise<void> {
  const table = { TableName: tableName };
  const { TimeToLiveDescription: current } = await client.send(new DescribeTimeToLiveCommand(table));
  if (current?.TimeToLiveStatus === "ENABLED") return;
  const specification = { AttributeName: attributes.timeToLive, Enabled: true };
  await client.send(new UpdateTimeToLiveCommand({ ...table, TimeToLiveSpecification: specification }));
}
