import { expect, test } from "@jest/globals";
import { usedTraffic } from "./traffic.ts";

test("of each limit that there is, tells what is used", () => {
  const project = { bytes: 1_000, limit: 4_000 };
  const account = { bytes: 7_000, limit: 8_000 };
  const ofProject = { of: "project", ...project, percent: 25, isNear: false };
  expect(usedTraffic({ project, account })).toEqual([
    ofProject,
    { of: "account", ...account, percent: 87, isNear: true },
  ]);
  expect(usedTraffic({ project, account: null })).toEqual([ofProject]);
  expect(usedTraffic({ project: { ...project, limit: null }, account: { ...account, limit: null } })).toEqual([]);
});

test.each([
  [799, 79, false],
  [800, 80, true],
  [999, 99, true],
  [1_000, 100, true],
])("%i of 1,000 bytes are %i %%, near the limit: %s", (bytes, percent, isNear) => {
  expect(usedTraffic({ project: { bytes, limit: 1_000 }, account: null })).toMatchObject([{ percent, isNear }]);
});
