import { expect, test } from "@jest/globals";
import { profileKeys, profileRanges } from "./keys.ts";

test("each kind of item is where those stored before are", () => {
  expect({
    telemetryGrant: profileKeys.telemetryGrant("g"),
    profile: profileKeys.profile("k", "x"),
    telemetry: profileKeys.telemetry("k", "x", 7),
  }).toEqual({
    telemetryGrant: { PK: "GRANT#g", SK: "GRANT" },
    profile: { PK: "PROJECT#k", SK: "PROFILE#x" },
    telemetry: { PK: "PROJECT#k", SK: "TELEMETRY#x#00000007" },
  });
});

test("a range has the items of its kind, and records those of their profile alone", () => {
  expect([profileRanges.profiles("k"), profileRanges.telemetry("k", "x")]).toEqual([
    { PK: "PROJECT#k", prefix: "PROFILE#" },
    { PK: "PROJECT#k", prefix: "TELEMETRY#x#" },
  ]);
});
