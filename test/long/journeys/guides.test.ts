import { expect, test } from "@jest/globals";
import { failuresOf, useGuideCopy } from "../../support/guide.ts";

/*
 * On the way the compiler or functions/new-route.test.ts must name the next missing place.
 */
const { snippets, apply, run } = useGuideCopy();

test("a new route by the guide works, and each missing place is named", async () => {
  const [description, entry, listed, handler, permission, operation, ...more] = await snippets("How to add a route");
  expect(more).toEqual([]);
  const quick = ["test", "--", "functions/new-route", "functions/access", "contract/documents/openapi"];
  await apply(description);
  expect((await run("test", "--", "functions/new-route")).output).toContain(
    "Enter getLimits in contract/api/routes.ts",
  );
  await apply(entry);
  const missing = (await run(...quick)).output;
  expect(missing).toContain("Write functions/handlers/get-limits.ts");
  expect(missing).toContain("Say in functions/access.ts what the function of getLimits may do");
  expect(missing).toContain("Add to test/support/service/operations.ts a request of getLimits that succeeds");
  const { output } = await run("types");
  for (const file of ["functions/access", "test/support/service/operations"])
    expect(output).toMatch(new RegExp(`${file}\\.ts.*getLimits`, "s"));
  for (const snippet of [listed, handler, permission, operation]) await apply(snippet);
  expect(await run("types")).toMatchObject({ code: 0 });
  const onlyOld = failuresOf(await run(...quick));
  expect(onlyOld).toContain("`npm run openapi` writes it");
  expect(onlyOld).toContain("PASS functions/new-route.test.ts");
  expect(await run("openapi")).toMatchObject({ code: 0 });
  expect(failuresOf(await run("test", "--", "contract"))).toBe("");
  const long = ["test", "--", "--config", "test/long/jest.config.js"];
  const deployed = [
    "infra/service-stack",
    "infra/api",
    "infra/route-function",
    "test/long/deployment/(access|environment)",
  ];
  expect(failuresOf(await run(...long, "-u", ...deployed))).toBe("");
  const authorization = await run(...long, "test/long/security/authorization", "-t", "getLimits");
  expect(failuresOf(authorization)).toBe("");
  expect(authorization.output).toContain("18 passed");
}, 900_000);
