import { type RouteName, routes, routesOfAllMethods, routesOfOptions } from "../../contract/api/routes.ts";
import { leftOutOptions } from "../../functions/environment.ts";

/** The route of a request, with its parameters. */
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
  /** Whether this route gets every method of its path that no other route has. */
  readonly ofAllMethods: boolean;
  readonly expression: RegExp;
  readonly greedy: boolean;
  readonly variables: number;
}

let allPatterns: readonly Pattern[] | undefined;

/** The patterns of all routes, made when the first request comes. */
function patterns(): readonly Pattern[] {
  allPatterns ??= patternsOf(routesOfAllMethods());
  return allPatterns;
}

const patternsOf = (namesOfAllMethods: ReadonlySet<RouteName>) =>
  (Object.keys(routes) as RouteName[])
    .map((name) => ({ name, ...routes[name], ofAllMethods: namesOfAllMethods.has(name) }))
    .map(({ name, method, path, ofAllMethods }) => ({
      name,
      ofAllMethods,
      routeKey: `${ofAllMethods ? "ANY" : method} ${path.replace(/:(\w+)/g, "{$1}").replace(/\*(\w+)/g, "{$1+}")}`,
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

/** Finds the route of a request by its method and its decoded path; undefined: API Gateway would respond with 404. */
export function matchRoute(method: string, path: string): RouteMatch | undefined {
  const leftOut = routesOfOptions(leftOutOptions());
  const ofPath = patterns().filter(({ name, expression }) => expression.test(path) && !leftOut.includes(name));
  const pattern = ofPath.find((each) => each.method === method) ?? ofPath.find((each) => each.ofAllMethods);
  if (pattern === undefined) return undefined;
  const { name, routeKey, expression } = pattern;
  return { name, routeKey, pathParameters: { ...expression.exec(path)?.groups } };
}
