import { BatchGetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { expect, test } from "@jest/globals";
import { send } from "../../../functions/table/client.ts";
import { actorsOf } from "../../support/service/actors.ts";
import { useFunctionEnvironment, useRecordedService } from "../../support/service/suite.ts";
import { type Fault, sequentialRoundTrips } from "../../support/table/dynamodb-recorder.ts";

const service = useRecordedService();
const actors = actorsOf(service);
useFunctionEnvironment(service);

/** The calls of a request whose first call meets the fault. */
async function callsWith(fault: Fault | undefined) {
  const user = await actors.user();
  let isFirst = true;
  service.recorder.plan(() => {
    const planned = isFirst ? fault : undefined;
    isFirst = false;
    return planned;
  });
  const calls = await service.recorder.during(async () => expect((await user.get("/me")).status).toBe(200));
  service.recorder.plan(undefined);
  return calls;
}

test("a call is recorded with its operation, its request and its time", async () => {
  const [call, ...others] = await callsWith(undefined);
  expect(others).toEqual([]);
  expect(call).toMatchObject({
    operation: "BatchGetItem",
    input: { RequestItems: { [service.tableName]: { ConsistentRead: true } } },
  });
  expect(call?.endedAt).toBeGreaterThan(call?.startedAt ?? Number.POSITIVE_INFINITY);
});

test.each<Fault>([{ kind: "unprocessed" }, { kind: "unreachable" }, { kind: "lose-response" }])(
  "a call that meets $kind is made again",
  async (fault) => {
    const calls = await callsWith(fault);
    expect(calls.map(({ operation }) => operation)).toEqual(["BatchGetItem", "BatchGetItem"]);
    expect(sequentialRoundTrips(calls)).toBe(2);
  },
);

test("a refused call never reaches the engine and its error comes back", async () => {
  const user = await actors.user();
  service.recorder.plan(() => ({ kind: "refuse", error: "ValidationException" }));
  expect(await user.get("/me")).toMatchObject({ status: 500, body: { code: "internal_error" } });
  service.recorder.plan(undefined);
});

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

test("a delayed call takes at least its delay", async () => {
  const [call] = await callsWith({ kind: "delay", milliseconds: 80 });
  expect((call?.endedAt ?? 0) - (call?.startedAt ?? 0)).toBeGreaterThanOrEqual(75);
});

test("calls that overlap count as one round trip", () => {
  const call = (startedAt: number, endedAt: number) => ({ operation: "GetItem", input: {}, startedAt, endedAt });
  expect(sequentialRoundTrips([])).toBe(0);
  expect(sequentialRoundTrips([call(0, 5), call(1, 4), call(3, 8)])).toBe(1);
  expect(sequentialRoundTrips([call(0, 5), call(5, 9), call(6, 8)])).toBe(2);
});
