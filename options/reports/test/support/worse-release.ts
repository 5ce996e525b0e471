import { expect } from "@jest/globals";
import { actorsOf } from "../../../../test/support/service/actors.ts";
import type { RouteUse } from "../../../../test/support/service/route-use.ts";
import { crashReport } from "./operations.ts";
import { storeWorseRelease } from "./stored-crashes.ts";

/** A report tells the project's people that its live release is clearly worse than the one before it. */
export const useWorseRelease: RouteUse = async (owner, { service, as }) => {
  const { name } = await storeWorseRelease(service, owner);
  const path = `/.well-known/svc/reports/${owner.slug}/${name}`;
  const headers = { "content-type": "application/reports+json" };
  const report = { headers, body: JSON.stringify([crashReport]) };
  const { status } = await as("sendReports", () => actorsOf(service).anonymous.send("POST", path, report));
  expect(status).toBe(204);
};
