import type { Resources } from "./synthesis.ts";

/*
 * API Gateway's control plane: an account may send 10 requests a second, with a burst of 40, a quota that cannot be raised
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html). CloudFormation begins every resource as soon as those that it
 * depends on are done, and fails if the quota is used up (aws/aws-cdk#15573).
 */
const quota = { requestsPerSecond: 10, burst: 40 };

/** Requests of CloudFormation for one resource: the change and two reads until it is stable, about a second. */
const requestsPerResource = 3;

/**
 * Lets CloudFormation make all resources of a template, or delete them all.
 *
 * @returns the seconds that it takes; a resource of another service takes none
 * @throws Error like API Gateway's, for the first request above the quota
 */
export function changeAll(resources: Resources, change: "create" | "delete"): number {
  const waitsFor = dependenciesOf(resources, change);
  const done = new Set<string>();
  let tokens = quota.burst;
  let seconds = 0;
  while (done.size < waitsFor.size) {
    const ready = [...waitsFor].flatMap(([id, others]) => (!done.has(id) && isSubset(others, done) ? [id] : []));
    if (ready.length === 0) throw new Error("The template's dependencies have a cycle");
    const others = ready.filter((id) => !resources[id]?.Type.startsWith("AWS::ApiGatewayV2::"));
    const round = others.length > 0 ? others : ready;
    for (const id of round) done.add(id);
    if (round === others) continue;
    for (const id of round) {
      tokens -= requestsPerResource;
      if (tokens < 0) throw new Error(`TooManyRequestsException: Too Many Requests (${change} ${id})`);
    }
    seconds += 1;
    tokens = Math.min(quota.burst, tokens + quota.requestsPerSecond);
  }
  return seconds;
}

const isSubset = (some: ReadonlySet<string>, all: ReadonlySet<string>) => [...some].every((each) => all.has(each));

function dependenciesOf(resources: Resources, change: "create" | "delete"): Map<string, Set<string>> {
  const ids = Object.keys(resources);
  const waitsFor = new Map(ids.map((id) => [id, new Set<string>()]));
  for (const id of ids)
    for (const other of namedIn(resources[id])) {
      if (other === id || !waitsFor.has(other)) continue;
      if (change === "create") waitsFor.get(id)?.add(other);
      else waitsFor.get(other)?.add(id);
    }
  return waitsFor;
}

/** The logical ids that a resource refers to, or names in `DependsOn`. */
function namedIn(value: unknown, key = ""): string[] {
  if (typeof value === "string") return ["Ref", "DependsOn"].includes(key) ? [value] : [];
  if (Array.isArray(value))
    return key === "Fn::GetAtt" ? [String(value[0])] : value.flatMap((inner) => namedIn(inner, key));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => namedIn(inner, name));
}
