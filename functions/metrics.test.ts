import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { count } from "./metrics.ts";

const stageBefore = process.env["SVC_STAGE"];

beforeEach(() => {
  process.env["SVC_STAGE"] = "staging";
});
afterEach(() => {
  jest.restoreAllMocks();
  if (stageBefore === undefined) delete process.env["SVC_STAGE"];
  else process.env["SVC_STAGE"] = stageBefore;
});

/** The lines that a call writes. */
function lines(call: () => void): string[] {
  const write = jest.spyOn(process.stdout, "write").mockReturnValue(true);
  call();
  return write.mock.calls.map(([line]) => String(line));
}

test("a metric is one line of the embedded metric format, in the stage's namespace", () => {
  const before = Date.now();
  const [line = "", ...others] = lines(() => count("Publications", {}));
  expect(others).toEqual([]);
  expect(line.endsWith("}\n")).toBe(true);
  const { _aws, timestamp, ...members } = JSON.parse(line);
  expect(_aws).toEqual({
    Timestamp: expect.any(Number),
    CloudWatchMetrics: [
      { Namespace: "svc/staging", Dimensions: [[]], Metrics: [{ Name: "Publications", Unit: "Count" }] },
    ],
  });
  // CloudWatch refuses metrics of two weeks before: the time is in milliseconds.
  expect(_aws.Timestamp - before).toBeLessThan(10_000);
  expect(_aws.Timestamp).toBe(Date.parse(timestamp));
  expect(members).toEqual({ level: "info", Publications: 1 });
});

test("a dimension is named by the metric and stands in the line", () => {
  const [line = ""] = lines(() => count("Refusals", { refusal: "quota_exceeded" }));
  expect(JSON.parse(line)).toMatchObject({
    _aws: { CloudWatchMetrics: [{ Dimensions: [["refusal"]], Metrics: [{ Name: "Refusals" }] }] },
    ...{ refusal: "quota_exceeded", Refusals: 1 },
  });
  // By "code" the dashboard lists failures, and filters of alarms count them.
  expect(JSON.parse(line)).not.toHaveProperty("code");
});

test.each(["local", ""])("a process of the stage %p counts nothing", (stage) => {
  process.env["SVC_STAGE"] = stage;
  expect(lines(() => count("TokensCreated", {}))).toEqual([]);
});
