import { CfnWebACL } from "aws-cdk-lib/aws-wafv2";
import type { Construct } from "constructs";
import { addressRefusal } from "../contract/api/address-refusal.ts";
import { type RouteName, routes } from "../contract/api/routes.ts";
import type { StageWithApiEdge } from "./stage.ts";

/** The shortest time that AWS WAF counts over. An address is free again about as long after it has slowed down: its Retry-After. */
const windowSeconds = 60;

/** Creating an account and a device request: what anybody can have stored. A device polls `/oauth/token`, which is not among them. */
const signIn: readonly RouteName[] = ["createSession", "requestDeviceCode"];

/** What WAF sees as the path of a published file: only one without escapes, so that no other route passes for it. */
export const filesPattern = `^${routes.getFile.path.replace(/:\w+/g, "[^/%]+").replace(/\*\w+/, "")}`;
/** Of the decoded path, as API Gateway routes by it. */
export const signInPattern = `^(${signIn.map((name) => routes[name].path).join("|")})$`;

/**
 * What one IP address may send within a minute, by rules that look at address and path alone: no body, no credential. Requests are not
 * sampled, because a sample would have their Authorization header (docs/decisions/0061-a-distribution-before-the-api.md).
 */
export function createWebAcl(
  scope: Construct,
  { name, apiEdge: { requestsPerMinute = 300 } }: StageWithApiEdge,
): CfnWebACL {
  const ofFiles = matchesPath(filesPattern, "NONE");
  return new CfnWebACL(scope, "WebAcl", {
    name: `svc-${name}-api`,
    scope: "CLOUDFRONT",
    defaultAction: { allow: {} },
    visibilityConfig: visibility(`svc-${name}-api`),
    customResponseBodies: {
      refusal: { contentType: "APPLICATION_JSON", content: JSON.stringify(addressRefusal.body) },
    },
    rules: [
      rule("SignIn", 0, Math.floor(requestsPerMinute / 5), matchesPath(signInPattern, "URL_DECODE")),
      rule("PublishedFiles", 1, requestsPerMinute * 5, ofFiles),
      rule("AllElse", 2, requestsPerMinute, { notStatement: { statement: ofFiles } }),
    ],
  });
}

function rule(name: string, priority: number, limit: number, scopeDownStatement: CfnWebACL.StatementProperty) {
  return {
    ...{ name, priority, visibilityConfig: visibility(name) },
    statement: {
      rateBasedStatement: { limit, aggregateKeyType: "IP", evaluationWindowSec: windowSeconds, scopeDownStatement },
    },
    action: {
      block: {
        customResponse: {
          responseCode: addressRefusal.status,
          customResponseBodyKey: "refusal",
          responseHeaders: Object.entries(addressRefusal.headers).map(([header, value]) => ({ name: header, value })),
        },
      },
    },
  };
}

function matchesPath(regexString: string, type: "NONE" | "URL_DECODE"): CfnWebACL.StatementProperty {
  return {
    regexMatchStatement: { regexString, fieldToMatch: { uriPath: {} }, textTransformations: [{ priority: 0, type }] },
  };
}

function visibility(metricName: string): CfnWebACL.VisibilityConfigProperty {
  return { metricName, cloudWatchMetricsEnabled: true, sampledRequestsEnabled: false };
}
