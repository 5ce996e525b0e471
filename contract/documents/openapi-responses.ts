import { STATUS_CODES } from "node:http";
import { type ErrorCode, errors } from "../api/errors.ts";
import type { Route } from "../api/route.ts";
import { errorCodes, gatewayStatuses } from "../api/route-errors.ts";
import { documentedRoutes } from "./documented-routes.ts";
import { links } from "./links.ts";
import { schemaPrefix, schemaReference } from "./schema-names.ts";

/*
 * The responses of a route in the OpenAPI document.
 */

type Json = Record<string, unknown>;

/** References to headers of the document. Those that every response can have are told once, in the document's description. */
function headersNamed(names: readonly string[]): { readonly headers?: Json } {
  if (names.length === 0) return {};
  return { headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])) };
}

/** Headers that responses of one status have besides. */
const headersOfStatus: Record<string, readonly string[]> = {
  201: ["location"],
  302: ["location"],
  304: ["etag"],
  401: ["www-authenticate"],
  403: ["www-authenticate"],
  429: ["retry-after"],
  "5XX": ["retry-after"],
};

const descriptions: Record<string, string> = {
  200: "Done",
  201: "Created",
  202: "Accepted",
  204: "Done",
  302: "At the URL in Location",
  304: "Not modified",
};

export function successes(name: string, route: Route): Json {
  const linksOf = links[name];
  const entries = Object.entries(route.responses).map(([status, schema]) => [
    status,
    {
      description: descriptions[status],
      ...headersNamed([
        ...(headersOfStatus[status] ?? []),
        ...(status === "200" && (304 in route.responses || route.preconditions) ? ["etag"] : []),
      ]),
      ...(schema && { content: { "application/json": { schema: schemaReference(schema) } } }),
      ...(schema === null && status === "200" && !route.form && { content: { "*/*": {} } }),
      ...(schema && linksOf && { links: linksOf }),
    },
  ]);
  return Object.fromEntries(entries);
}

/** A refusal as routes share it: its status or `5XX`, its codes, who sends it and in which form. */
interface Refusal {
  readonly status: string;
  /** Empty: API Gateway alone sends it. */
  readonly codes: readonly ErrorCode[];
  readonly isGateways: boolean;
  readonly isForm: boolean;
}

function refusalsOf(route: Route): Refusal[] {
  const codes: ReadonlyMap<string, ErrorCode[]> = Map.groupBy(errorCodes(route), (code) =>
    statusOf(errors[code].status),
  );
  const gateways = gatewayStatuses(route).map(statusOf);
  return [...new Set([...codes.keys(), ...gateways])].sort().map((status) => ({
    status,
    codes: codes.get(status) ?? [],
    isGateways: gateways.includes(status),
    isForm: route.form === true,
  }));
}

/** All that a server's fault can be stands at `5XX`: API Gateway also has statuses of its own there, such as 504. */
function statusOf(status: number): string {
  return status < 500 ? String(status) : "5XX";
}

/**
 * The names of the refusals that several routes have. One with a single code has the code's name, the first other one of a status
 * the status's, and any further one also the name of the first route that has it: `ProjectNotFound`, `Forbidden`,
 * `ForbiddenOfListEvents`.
 */
const sharedRefusals: ReadonlyMap<string, readonly [name: string, Refusal]> = namedRefusals();

function namedRefusals() {
  const all = documentedRoutes.flatMap(([routeName, route]) =>
    refusalsOf(route).map((refusal) => [routeName, refusal] as const),
  );
  const namedByKey = new Map<string, readonly [string, Refusal]>();
  const taken = new Set<string>();
  for (const [key, [first, ...others]] of Map.groupBy(all, ([, refusal]) => keyOf(refusal))) {
    if (first === undefined || others.length === 0) continue;
    const [routeName, refusal] = first;
    const whole = `${phraseOf(refusal)}Of${schemaPrefix(routeName)}`;
    const name = [shortNameOf(refusal), phraseOf(refusal)].find((each) => each && !taken.has(each)) ?? whole;
    taken.add(name);
    namedByKey.set(key, [name, refusal]);
  }
  return namedByKey;
}

/** The same for refusals with the same response, as API Gateway's own ones are at all statuses. */
function keyOf(refusal: Refusal): string {
  return JSON.stringify(failure(refusal));
}

function shortNameOf({ codes, isForm }: Refusal): string | undefined {
  if (codes.length > 1) return undefined;
  const said = codes[0]?.split("_").map(schemaPrefix).join("") ?? "Gateway";
  return isForm ? `OAuth${said}` : said;
}

function phraseOf({ status, isForm }: Refusal): string {
  return `${isForm ? "OAuth" : ""}${phrase(status).replaceAll(" ", "")}`;
}

function phrase(status: string): string {
  return STATUS_CODES[status] ?? "Server Error";
}

/** A route's refusals: those that other routes have too are references to `refusalResponses`. */
export function failures(route: Route): Json {
  const response = (refusal: Refusal) => {
    const shared = sharedRefusals.get(keyOf(refusal));
    return shared ? { $ref: `#/components/responses/${shared[0]}` } : failure(refusal);
  };
  return Object.fromEntries(refusalsOf(route).map((refusal) => [refusal.status, response(refusal)]));
}

/** Every refusal that several routes have, once, by its name. */
export function refusalResponses(): Json {
  return Object.fromEntries([...sharedRefusals.values()].map(([name, refusal]) => [name, failure(refusal)]));
}

function failure(refusal: Refusal): Json {
  const { status, codes, isGateways, isForm } = refusal;
  const problem = codes.length > 0 && { $ref: `#/components/schemas/${isForm ? "OAuthError" : "Problem"}` };
  const gateways = isGateways && { $ref: "#/components/schemas/GatewayError" };
  return {
    description: [
      codes[0] && `${codes[1] ? phrase(status) : errors[codes[0]].title}: ${codesOf(refusal).join(", ")}`,
      isGateways && "API Gateway itself",
    ]
      .filter(Boolean)
      .join("; "),
    ...(problem && headersNamed(headersOfStatus[status] ?? [])),
    content: isForm
      ? { "application/json": { schema: problem && gateways ? { anyOf: [problem, gateways] } : problem || gateways } }
      : {
          ...(problem && { "application/problem+json": { schema: problem } }),
          ...(gateways && { "application/json": { schema: gateways } }),
        },
  };
}

/**
 * The codes of a refusal. The description lists them, and the body is one schema for all: a narrowed schema at each status
 * of each route made generators write hundreds of classes, and types without the fields.
 */
function codesOf({ isForm, codes }: Refusal): string[] {
  return codes.map((code) => (isForm && code === "internal_error" ? "server_error" : code));
}
