import { expect, test } from "@jest/globals";
import type { Route } from "../../../contract/api/route.ts";
import { type RouteName, routes } from "../../support/routes.ts";
import { actorsOf } from "../../support/service/actors.ts";
import { operations, perform, withProject } from "../../support/service/operations.ts";
import { useEmptiedService } from "../../support/service/suite.ts";
import { everyItem } from "../../support/table/stored.ts";

/*
 * Which bodies a route refuses, contract/api/request-rules.test.ts has. Here each route asks its schema before it does anything.
 */
const service = useEmptiedService();
// Browsers may add to their reports.
const withBody = Object.entries<Route>(routes).filter(
  ([, { body, form, reportsBody }]) => body !== undefined && !form && !reportsBody,
);

test.each(withBody.map(([name]) => name as RouteName))(
  "%s refuses a field that nobody knows, and writes nothing",
  async (name) => {
    const owner = await withProject(await actorsOf(service).developer());
    const operation = await operations[name](owner);
    const before = await everyItem(service);
    const { status, body } = await perform(owner, { ...operation, body: { ...(operation.body as object), nobody: 1 } });
    expect({ status, code: body.code }).toEqual({ status: 422, code: "validation_failed" });
    expect(body.errors).toContainEqual({ pointer: "/nobody", detail: expect.any(String) });
    expect(await everyItem(service)).toEqual(before);
  },
);
