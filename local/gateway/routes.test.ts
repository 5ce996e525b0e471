import { expect, test } from "@jest/globals";
import { matchRoute } from "./routes.ts";

test("a greedy parameter takes the rest of the path", () => {
  expect(matchRoute("GET", "/projects/chess/files/assets/img/queen.png")).toEqual({
    name: "getFile",
    routeKey: "ANY /projects/{slug}/files/{path+}",
    pathParameters: { slug: "chess", path: "assets/img/queen.png" },
  });
});

test("a parameter takes one segment, with any characters but a slash", () => {
  expect(matchRoute("DELETE", "/tokens/a.b c?%")?.pathParameters).toEqual({ id: "a.b c?%" });
  expect(matchRoute("DELETE", "/tokens/a/b")).toBeUndefined();
  expect(matchRoute("DELETE", "/tokens/")).toBeUndefined();
});

test("a dot in a route is a dot", () => {
  expect(matchRoute("GET", "/openapi.json")?.name).toBe("getOpenApi");
  expect(matchRoute("GET", "/openapixjson")).toBeUndefined();
});

test("a method that no route of the path has goes to the route for all methods", () => {
  for (const method of ["PUT", "HEAD", "OPTIONS"]) expect(matchRoute(method, "/me")?.routeKey).toBe("ANY /me");
  expect(matchRoute("PUT", "/tokens/x")?.name).toBe("getToken");
  expect(matchRoute("GET", "/tokens/x/y")).toBeUndefined();
});

test("a fixed segment is matched before a parameter, and the method must match", () => {
  expect(matchRoute("GET", "/me/events")?.name).toBe("listEvents");
  expect(matchRoute("DELETE", "/tokens/current")?.name).toBe("revokeCurrentToken");
  expect(matchRoute("DELETE", "/tokens/currents")?.name).toBe("revokeToken");
  expect(matchRoute("PATCH", "/me")?.name).toBe("updateMe");
  expect(matchRoute("PATCH", "/me")?.routeKey).toBe("PATCH /me");
});
