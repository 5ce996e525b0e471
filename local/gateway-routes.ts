import { type RouteName, routes } from "../contract/routes.ts";

/** A route that fits a request, as API Gateway hands it to the route's function. */
export interface RouteMatch {
  readonly name: RouteName;
  /** As API Gateway writes it: `GET /projects/{slug}/files/{path+}`. */
  readonly routeKey: string;
  readonly pathParameters: Record<string, string>;
}

interface Pattern {
  readonly name: RouteName;
  readonly routeKey: string;
  readonly method: string;
  readonly expression: RegExp;
  readonly greedy: boolean;
  readonly variables: number;
}

const patterns: readonly Pattern[] = Object.entries(routes)
  .map(([name, { method, path }]) => ({
    name: name as RouteName,
    routeKey: `${method} ${path.replace(/:(\w+)/g, "{$1}").replace(/\*(\w+)/g, "{$1+}")}`,
    method,
    expression: new RegExp(
      `^${path
        .replaceAll(".", "\\.")
        .replace(/:(\w+)/g, "(?<$1>[^/]+)")
        .replace(/\*(\w+)/g, "(?<$1>.+)")}$`,
      "s",
    ),
    greedy: path.includes("*"),
    variables: path.match(/:/g)?.length ?? 0,
  }))
  // API Gateway tries full matches before greedy ones, and `/tokens/current` before `/tokens/{id}`.
  .sort((a, b) => Number(a.greedy) - Number(b.greedy) || a.variables - b.variables);

/** Finds the route of a request by its method and its decoded path; undefined: API Gateway would answer 404. */
export function matchRoute(method: string, path: string): RouteMatch | undefined {
  for (const { name, routeKey, method: wanted, expression } of patterns) {
    const match = wanted === method ? expression.exec(path) : null;
    if (match) return { name, routeKey, pathParameters: { ...match.groups } };
  }
  return undefined;
}
