import { describe, expect, test } from "@jest/globals";
import type { Route } from "../../../contract/api/route.ts";
import { type RouteName, routes } from "../../support/routes.ts";
import { actorsOf } from "../../support/service/actors.ts";
import { operations, perform, withProject } from "../../support/service/operations.ts";
import { useService } from "../../support/service/suite.ts";
import { everyItem } from "../../support/table/stored.ts";

const now = () => Math.floor(Date.now() / 1_000);
const request = { name: "laptop", scopes: ["publish"] };

describe("a service whose tokens need a sign-in of the last 5 minutes", () => {
  const service = useService({ env: { IDP_SIGN_IN_MINUTES: "5" } });
  const actors = actorsOf(service);

  test.each([-60, -290, 30])("creates a token %i seconds after the sign-in", async (seconds) => {
    const developer = await actors.developer({ auth_time: now() + seconds });
    expect((await developer.post("/tokens", request)).status).toBe(201);
  });

  test.each([-310, -9 * 365 * 86_400])("refuses a token %i seconds after it, and says what to do", async (seconds) => {
    const developer = await actors.developer({ auth_time: now() + seconds });
    const { status, body, headers } = await developer.post("/tokens", request);
    expect({ status, code: body.code }).toEqual({ status: 401, code: "recent_sign_in_required" });
    expect(headers.get("www-authenticate")).toMatch(
      /^Bearer realm="svc", error="insufficient_user_authentication", max_age="300", resource_metadata="[^"]+"$/,
    );
    expect((await developer.get("/tokens")).body.tokens).toEqual([]);
  });

  const names = (Object.keys(routes) as RouteName[]).filter((name) => (routes[name] as Route).recentSignIn);

  test.each(names)("%s is refused 310 seconds after the sign-in and changes nothing", async (name) => {
    const owner = await withProject(await actors.developer({ auth_time: now() }));
    const operation = await operations[name](owner);
    const late = await actors.stranger({ sub: owner.uid, auth_time: now() - 310 });
    const before = await everyItem(service);
    expect(await perform(late, operation)).toMatchObject({ status: 401, body: { code: "recent_sign_in_required" } });
    expect(await everyItem(service)).toEqual(before);
  });

  test("refuses an ID token without the time of the sign-in", async () => {
    const developer = await actors.developer({ auth_time: null });
    expect((await developer.post("/tokens", request)).body.code).toBe("recent_sign_in_required");
  });

  test("deletes an account only within this time too, which is stricter than the ten minutes of a deletion", async () => {
    const user = await actors.user({ auth_time: now() - 310 });
    const { body, headers } = await user.delete("/me");
    expect(body.code).toBe("recent_sign_in_required");
    expect(headers.get("www-authenticate")).toContain('max_age="300"');
    expect((await (await actors.user({ auth_time: now() - 290 })).delete("/me")).status).toBe(204);
  });

  test("does not require it for other requests", async () => {
    const developer = await actors.developer({ auth_time: now() - 86_400 });
    expect((await developer.get("/tokens")).status).toBe(200);
    expect((await developer.patch("/me", { name: "Ada" })).status).toBe(200);
  });
});

describe("a service without this setting", () => {
  const actors = actorsOf(useService());

  test("creates tokens after a sign-in of any age", async () => {
    const developer = await actors.developer({ auth_time: now() - 9 * 365 * 86_400 });
    expect((await developer.post("/tokens", request)).status).toBe(201);
  });
});
