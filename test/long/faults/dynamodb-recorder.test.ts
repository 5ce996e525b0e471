import { BatchGetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { expect, test } from "@jest/globals";
import { send } from "../../../functions/table/client.ts";
import { useFunctionEnvironment, useRecordedService } from "../../support/service/suite.ts";
import { sequentialRoundTrips } from "../../support/table/dynamodb-recorder.ts";

const service = useRecordedService();
useFunctionEnvironment(service);

test.each([true, false])("a read is refused unless it is strongly consistent: %s", async (ConsistentRead) => {
  const TableName = service.tableName;
  const query = { TableName, KeyConditionExpression: "PK = :a", ExpressionAttributeValues: { ":a": "a" } };
  const RequestItems = { [TableName]: { Keys: [{ PK: "a", SK: "a" }], ConsistentRead } };
  for (const read of [new QueryCommand({ ...query, ConsistentRead }), new BatchGetCommand({ RequestItems })])
    if (ConsistentRead) await send(read as QueryCommand);
    else await expect(send(read as QueryCommand)).rejects.toThrow("The recorder refuses this call");
});

test.each([
  [{ ":a": "a" }, undefined, "resolves"],
  [{ ":a": "a", ":ab": "b" }, undefined, "rejects"],
  [{ ":a": "a" }, { "#a": "a" }, "rejects"],
  [{ ":a": "a" }, {}, "rejects"],
] as const)("a read with the values %j and the names %j %s", async (values, names, settles) => {
  const query = { TableName: service.tableName, KeyConditionExpression: "PK = :a", ConsistentRead: true };
  const parameters = { ExpressionAttributeValues: values, ExpressionAttributeNames: names };
  await expect(send(new QueryCommand({ ...query, ...parameters })))[settles].toBeDefined();
});

test("calls that overlap count as one round trip", () => {
  const call = (startedAt: number, endedAt: number) => ({ operation: "GetItem", input: {}, startedAt, endedAt });
  expect(sequentialRoundTrips([])).toBe(0);
  expect(sequentialRoundTrips([call(0, 5), call(1, 4), call(3, 8)])).toBe(1);
  expect(sequentialRoundTrips([call(0, 5), call(5, 9), call(6, 8)])).toBe(2);
});
