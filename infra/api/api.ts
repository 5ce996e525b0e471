import { Duration, Validations } from "aws-cdk-lib";
import { AccessLogFormat } from "aws-cdk-lib/aws-apigateway";
import {
  CfnIntegration,
  type CfnRoute,
  type CfnStage,
  CorsHttpMethod,
  DomainName,
  HttpApi,
  HttpIntegrationType,
  HttpMethod,
  type HttpRoute,
  HttpRouteIntegration,
  type HttpRouteIntegrationConfig,
  HttpStage,
  IntegrationCredentials,
  LogGroupLogDestination,
  PayloadFormatVersion,
  SecurityPolicy,
} from "aws-cdk-lib/aws-apigatewayv2";
import { type IRole, PolicyDocument, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import type { ILogGroup } from "aws-cdk-lib/aws-logs";
import { ApiGatewayv2DomainProperties } from "aws-cdk-lib/aws-route53-targets";
import { Construct } from "constructs";
import { cors } from "../../contract/api/cors.ts";
import { type RouteName, routes, routesOfAllMethods } from "../../contract/api/routes.ts";
import { addRecords, certificateOf } from "../hosts/host-names.ts";
import type { Stage } from "../settings/stage.ts";
import { addOutput } from "../stacks/output.ts";
import type { RouteFunction } from "./route-function.ts";
import { throttleOf } from "./throttling.ts";

interface ApiProps {
  readonly stage: Stage;
  readonly functions: readonly RouteFunction[];
  readonly accessLog: ILogGroup;
}

/** The output with API Gateway's own host name for the domain. */
const domainTargetOutput = "DomainTarget";

const ofAllMethods = routesOfAllMethods();

/** The HTTP API: one route of API Gateway for each route of the contract, in front of the function of its name. */
export class Api extends Construct {
  readonly http: HttpApi;
  readonly url: string;

  constructor(scope: Construct, id: string, { stage, functions, accessLog }: ApiProps) {
    super(scope, id);
    this.http = new HttpApi(this, "Http", {
      apiName: `svc-${stage.name}`,
      createDefaultStage: false,
      // With its own domain, the API must not be reachable under a second host name.
      disableExecuteApiEndpoint: stage.domain !== undefined,
      corsPreflight,
    });
    const deployed = new HttpStage(this, "Stage", {
      httpApi: this.http,
      stageName: "$default",
      autoDeploy: true,
      // The default, which no route uses.
      throttle: throttleOf("getHealth", stage),
      accessLogSettings: { destination: new LogGroupLogDestination(accessLog), format: accessLogFormat },
      ...(stage.domain && { domainMapping: { domainName: this.domainName(stage, stage.domain) } }),
    });
    const invoker = this.invoker(stage);
    inChains(functions.flatMap((routeFunction) => this.addRoute(routeFunction, invoker, deployed)));
    (deployed.node.defaultChild as CfnStage).routeSettings = Object.fromEntries(
      functions.map(({ route }) => [routeKey(route), routeSettings(throttleOf(route, stage))]),
    );
    this.url = stage.domain ? `https://${stage.domain.name}` : this.http.apiEndpoint;
  }

  /**
   * Role as which API Gateway calls the functions. A permission of each function for its route would be a resource more for
   * each route.
   */
  private invoker({ name, account, region }: Stage): Role {
    const functions = `arn:aws:lambda:${region}:${account}:function:svc-${name}-*`;
    const role = new Role(this, "Invoker", {
      assumedBy: new ServicePrincipal("apigateway.amazonaws.com"),
      inlinePolicies: {
        permissions: new PolicyDocument({
          statements: [new PolicyStatement({ actions: ["lambda:InvokeFunction"], resources: [functions] })],
        }),
      },
    });
    Validations.of(role).acknowledge({
      id: `AwsSolutions-IAM5[Resource::${functions}]`,
      reason: "It calls every function of the stage that a route names, and no other function of the account.",
    });
    return role;
  }

  private addRoute({ route, lambda }: RouteFunction, invoker: Role, deployed: HttpStage): HttpRoute[] {
    const [added] = this.http.addRoutes({
      path: pathTemplate(routes[route].path),
      methods: [HttpMethod[methodOf(route)]],
      integration: new InvokedFunction(route, lambda, invoker),
    });
    if (added === undefined) return [];
    // API Gateway refuses settings for a route that does not exist yet.
    (deployed.node.defaultChild as CfnStage).addResourceDependency(added.node.defaultChild as CfnRoute);
    Validations.of(added).acknowledge({
      id: "AwsSolutions-APIG4",
      reason:
        routes[route].credential === "none"
          ? "The route is public by the contract."
          : "The function authenticates: an authorizer's cache would let a revoked token through, and without one it would read the table twice.",
    });
    return [added];
  }

  private domainName(stage: Stage, host: NonNullable<Stage["domain"]>): DomainName {
    const { name } = host;
    const domain = new DomainName(this, "Domain", {
      domainName: name,
      certificate: certificateOf(this, host),
      securityPolicy: SecurityPolicy.TLS_1_2,
    });
    const { regionalDomainName, regionalHostedZoneId } = domain;
    const target = new ApiGatewayv2DomainProperties(regionalDomainName, regionalHostedZoneId);
    addRecords(this, stage, { host: name, target, hasIpv6: false });
    const record = `What the DNS record of ${name} must point to (CNAME or alias)`;
    addOutput(this, domainTargetOutput, domain.regionalDomainName, record);
    // The CDK makes the mapping's id of this text. As the id Default is in no logical id, it must not be in this one.
    return Object.assign(domain, { toString: () => domain.node.path.replace("/Default/", "/") });
  }
}

/**
 * Lets CloudFormation change only three routes at a time, each after its integration. API Gateway takes 10 requests a second for changes
 * of APIs, a quota that cannot be raised, and a deployment, its rollback too, fails for the first one above it (aws/aws-cdk#15573).
 */
function inChains(added: readonly HttpRoute[]): void {
  const chains = 3;
  for (const [index, route] of added.slice(chains).entries())
    for (const part of route.node.findAll())
      if (CfnIntegration.isCfnIntegration(part))
        part.addResourceDependency(added[index]?.node.defaultChild as CfnRoute);
}

/** The function of a route, which API Gateway calls as the role. */
class InvokedFunction extends HttpRouteIntegration {
  readonly #lambda: IFunction;
  readonly #role: Role;

  constructor(id: string, lambda: IFunction, role: Role) {
    super(id);
    this.#lambda = lambda;
    this.#role = role;
  }

  override bind(): HttpRouteIntegrationConfig {
    return {
      type: HttpIntegrationType.AWS_PROXY,
      uri: this.#lambda.functionArn,
      payloadFormatVersion: PayloadFormatVersion.VERSION_2_0,
      credentials: IntegrationCredentials.fromRole(this.#role as IRole),
    };
  }
}

/**
 * Route, status, IP address and duration. No header and no path, which can name a person. Nothing whose length the caller
 * chooses: with a User-Agent of 8 kB a flood would cost more in logs than in calls.
 */
const accessLogFormat = AccessLogFormat.custom(
  JSON.stringify({
    request_id: "$context.requestId",
    time: "$context.requestTime",
    ip: "$context.identity.sourceIp",
    route: "$context.routeKey",
    status: "$context.status",
    latency_ms: "$context.responseLatency",
    integration_latency_ms: "$context.integrationLatency",
    response_bytes: "$context.responseLength",
    error: "$context.error.message",
    integration_error: "$context.integrationErrorMessage",
  }),
);

const corsPreflight = {
  allowOrigins: [cors.allowOrigin],
  allowMethods: cors.allowMethods.map((method) => CorsHttpMethod[method]),
  allowHeaders: cors.allowHeaders,
  exposeHeaders: cors.exposeHeaders,
  maxAge: Duration.seconds(cors.maxAgeSeconds),
};

/** `/tokens/:id` as API Gateway writes it: `/tokens/{id}`; `*path` is `{path+}`. */
function pathTemplate(path: string): string {
  return path.replace(/:(\w+)/g, "{$1}").replace(/\*(\w+)/g, "{$1+}");
}

/** ANY needs only one route in API Gateway, which matches routes with a method first. */
function methodOf(name: RouteName) {
  return ofAllMethods.has(name) ? "ANY" : routes[name].method;
}

/** A route as API Gateway names it, in its access log too: `GET /tokens/{id}`. */
export function routeKey(name: RouteName): string {
  return `${methodOf(name)} ${pathTemplate(routes[name].path)}`;
}

function routeSettings({ rateLimit, burstLimit }: ReturnType<typeof throttleOf>) {
  // CDK takes this property as plain JSON, so its names are those of CloudFormation.
  return { ThrottlingRateLimit: rateLimit, ThrottlingBurstLimit: burstLimit };
}
