import { Annotations, Lazy, RemovalPolicy, Stack, Token } from "aws-cdk-lib";
import type { HttpApi } from "aws-cdk-lib/aws-apigatewayv2";
import type { AlarmBase } from "aws-cdk-lib/aws-cloudwatch";
import type { ITableV2 } from "aws-cdk-lib/aws-dynamodb";
import type { EventBus } from "aws-cdk-lib/aws-events";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import type { Bucket, IBucket } from "aws-cdk-lib/aws-s3";
import type { Topic } from "aws-cdk-lib/aws-sns";
import { Construct } from "constructs";
import cdk from "../cdk.json" with { type: "json" };
import { type RouteName, routes, routesOfOptions } from "../contract/api/routes.ts";
import { serviceVersion } from "../contract/api/version.ts";
import { Api } from "./api/api.ts";
import { acknowledgeResources, RouteFunction } from "./api/route-function.ts";
import { Copies } from "./background/copies.ts";
import { createPointers } from "./background/pointers.ts";
import { createScheduledPublications } from "./background/scheduled-publications.ts";
import { Sweep } from "./background/sweep.ts";
import { GamesEdge } from "./games/games-edge.ts";
import { GamesOriginStack } from "./games/games-origin-stack.ts";
import { DashboardSite } from "./hosts/dashboard-site.ts";
import { EdgeCertificatesStack, needsEdgeCertificates } from "./hosts/edge-certificates-stack.ts";
import { makeCertificate, withCertificates } from "./hosts/host-names.ts";
import { FunctionRoles } from "./lambda/function-roles.ts";
import { Alarms } from "./monitoring/alarms.ts";
import { createBudget } from "./monitoring/budget.ts";
import { createDashboard } from "./monitoring/dashboard.ts";
import { EdgeAlarmsStack, isWatchedAtEdge } from "./monitoring/games-alarms.ts";
import { MonitoringStack } from "./monitoring/monitoring-stack.ts";
import { type OptionParts, stackOptions } from "./option.ts";
import { type Assets, packagedAssets } from "./packaging/assets.ts";
import { type ConstructSettings, settingsOf } from "./settings/construct-settings.ts";
import {
  addressLogDays,
  ConfigurationError,
  dashboardOf,
  readStage,
  type Stage,
  userPoolOutputs,
} from "./settings/stage.ts";
import { leftOutOptions } from "./settings/stage-option.ts";
import { refuseEmulator } from "./sign-in/emulator-guard.ts";
import { withUserPool } from "./sign-in/user-pool.ts";
import { addOutput } from "./stacks/output.ts";
import type { SiblingStack } from "./stacks/sibling-stack.ts";
import { createBucket } from "./storage/bucket.ts";
import { createTable } from "./storage/table.ts";

/** The settings of a stage (infra/settings/stage.ts), which may be constructs of the app; account and region are those of the stack. */
export interface SvcProps extends ConstructSettings {
  /** The stage's name, which the names of functions, alarms and more contain; `production` by default. */
  readonly name?: string;
  /** Bundles and dashboard; those of the package by default. */
  readonly assets?: Assets;
}

/**
 * The whole service in a stack of yours (docs/operations/construct.md), whose `env` must name account and region, and beside it what must be in
 * us-east-1. Its parts are public, to add alarms, subscribers, permissions and tags. What is made depends on the properties alone, not on the app's
 * feature flags.
 *
 * @throws ConfigurationError a sentence for each setting that cannot be deployed
 */
export class Svc extends Construct {
  readonly api: HttpApi;
  /** The API's URL, for SVC_API. */
  readonly url: string;
  readonly table: ITableV2;
  /** The bucket of published files and manifests. */
  readonly files: Bucket;
  /** The topic to which the alarms report. */
  readonly topic: Topic;
  readonly alarms: readonly AlarmBase[];
  /** The function of each route, by the route's name; a stage that leaves out an option has none for its routes. */
  readonly functions: Readonly<Record<RouteName, LambdaFunction>>;
  /** The log of all functions. */
  readonly functionLog: LogGroup;
  /** The stacks beside that of the service, in the order of deployment; the order of all is in their dependencies. */
  readonly otherStacks: readonly SiblingStack[];
  private readonly added: readonly OptionParts[];

  constructor(scope: Construct, id: string, { name = "production", assets = packagedAssets, ...settings }: SvcProps) {
    super(scope, id);
    for (const [flag, value] of Object.entries(cdk.context))
      if (flag.startsWith("@aws-cdk/")) this.node.setContext(flag, value);
    refuseSecond(this);
    refuseEmulator(Stack.of(this), process.env);
    const configured = this.configured(name, settings);
    const service = Stack.of(this);
    const certificates = needsEdgeCertificates(configured) ? new EdgeCertificatesStack(service, configured) : undefined;
    const certified = withCertificates(certificates?.stage ?? configured, (host, ...names) =>
      makeCertificate(new Construct(this, `${host}Certificate`), configured, ...names),
    );
    let site: DashboardSite | undefined;
    const stage = withUserPool(
      this,
      withDashboardOrigin(certified, () => site?.host),
    );
    warnOfSharedCookies(this, stage);
    const { code } = assets;
    const table = createTable(this, stage);
    const additions = stackOptions.flatMap(({ files }) => files?.(this, stage) ?? []);
    const bucket = createBucket(this, stage, additions);
    const { gamesDomain: domain } = stage;
    const origin = domain && new GamesOriginStack(service, { stage, code: code("games-origin"), bucket, table });
    const games =
      domain &&
      origin &&
      new GamesEdge(this, "Games", {
        stage,
        domain,
        table,
        bucket: bucket as IBucket,
        originVersionArn: origin.versionArn,
        apiUrl: () => api.url,
      });
    const gamesStoreArn = games?.store.keyValueStoreArn;
    const functionLog = this.log("FunctionLog", stage);
    const accessLog = this.log("AccessLog", { ...stage, logRetentionDays: addressLogDays(stage) });
    const common = { stage, table, logGroup: functionLog };
    const roles = new FunctionRoles(this, "Roles");
    const withoutRoutes = routesOfOptions(leftOutOptions(stage));
    const wanted = (Object.keys(routes) as RouteName[]).filter((route) => !withoutRoutes.includes(route));
    const functions = wanted.map(
      (route) =>
        new RouteFunction(this, constructId(route), {
          ...common,
          route,
          code: code(route),
          bucket,
          roles,
          gamesStoreArn,
        }),
    );
    acknowledgeResources(roles, bucket);
    const api = new Api(this, "Api", { stage, functions, accessLog });
    const optionParts = { ...common, code, gamesDistributionId: games?.distribution.distributionId };
    this.added = stackOptions.flatMap(({ addTo }) => addTo(this, optionParts) ?? []);
    const sweep = new Sweep(this, "Sweep", { ...common, code: code("sweep"), bucket });
    const copies = new Copies(this, "Copies", { ...common, code: code("check-copies"), bucket });
    const pointers =
      gamesStoreArn === undefined
        ? undefined
        : createPointers(this, { ...common, code: code("write-pointers"), gamesStoreArn });
    const scheduled = createScheduledPublications(this, {
      ...common,
      code: code("publish-scheduled"),
      bucket,
      gamesStoreArn,
    });
    // No sibling reads outputs of a nested stack.
    const monitoring = service.nested ? undefined : new MonitoringStack(service, stage);
    const parts = {
      stage,
      monitoring,
      api: api.http,
      functions,
      table,
      functionLog,
      accessLog,
      options: this.added,
      sweep: sweep.sweeper.lambda,
      copies,
      pointers,
      scheduled,
      games,
    };
    const { alarms, named, topic, slowRequests } = new Alarms(this, "Alarms", parts);
    createDashboard(this, { ...parts, alarms: named, slowRequests });
    createBudget(this, stage);
    const dashboard = dashboardOf(stage);
    if (dashboard)
      site = new DashboardSite(this, "DashboardSite", {
        stage,
        dashboard,
        api: api.url,
        files: bucket as IBucket,
        folder: assets.dashboard,
        functionLog,
      });
    addOutput(this, "ApiAddress", api.url, "The URL for SVC_API");
    addOutput(this, "Version", serviceVersion, "The version of the service (CHANGELOG.md)");
    addOutput(this, "TableName", table.tableName, "The table in use, restored or not");
    // That of a user pool of the stage's own stands beside the pool.
    if (configured.identityProvider !== "cognito")
      addOutput(this, userPoolOutputs.issuer, configured.identityProvider.issuer, "Exactly the iss of ID tokens");
    const leftOut = leftOutOptions(stage).join(",");
    if (leftOut !== "") addOutput(this, "LeftOutOptions", leftOut, "For the operator's commands");
    this.api = api.http;
    this.url = api.url;
    this.table = table;
    this.files = bucket;
    this.topic = topic;
    this.alarms = alarms;
    this.functionLog = functionLog;
    this.otherStacks = inOrder(service, {
      before: [certificates, origin].flatMap((stack) => stack ?? []),
      after: [...stacksThatRead(service, certified), ...(monitoring ? [monitoring] : [])],
    });
    this.functions = Object.fromEntries(functions.map(({ route, lambda }) => [route, lambda])) as typeof this.functions;
  }

  /**
   * The bus with the stage's notices.
   *
   * @throws ConfigurationError if the stage leaves notices out
   */
  get bus(): EventBus {
    const bus = this.added.find(({ bus }) => bus !== undefined)?.bus;
    if (bus === undefined) throw new ConfigurationError("The stage has no bus, because it leaves notices out.");
    return bus;
  }

  /** The checked settings. A test notes which of them are read. */
  protected configured(name: string, settings: ConstructSettings): Stage {
    const { account, region } = Stack.of(this);
    if (Token.isUnresolved(account) || Token.isUnresolved(region))
      throw new ConfigurationError(
        "The stack of Svc needs an env with account and region, which roles and alarms name.",
      );
    return readStage(
      name,
      { [name]: { ...settingsOf(this, settings), account, region } },
      `the properties of ${this.node.path}`,
    );
  }

  private log(id: string, stage: Pick<Stage, "disposable" | "logRetentionDays">): LogGroup {
    return new LogGroup(this, id, {
      retention: stage.logRetentionDays,
      removalPolicy: stage.disposable ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
  }
}

/** The stacks in us-east-1 that read outputs of the service's. */
function stacksThatRead(service: Stack, stage: Stage): SiblingStack[] {
  const ofOptions = stackOptions.flatMap(({ stacks }) => stacks?.(service, stage) ?? []);
  return isWatchedAtEdge(stage) ? [...ofOptions, new EdgeAlarmsStack(service, stage)] : ofOptions;
}

/** Tells the CDK when each is deployed. */
function inOrder(
  service: Stack,
  { before, after }: Readonly<Record<"before" | "after", readonly SiblingStack[]>>,
): readonly SiblingStack[] {
  for (const stack of before) service.addStackDependency(stack, "reads its outputs");
  for (const stack of after) stack.addStackDependency(service, "reads its outputs");
  return [...before, ...after];
}

/** @throws ConfigurationError for a second one in a stack, which CloudFormation would refuse at the deployment */
function refuseSecond(scope: Svc): void {
  const stack = Stack.of(scope);
  if (stack.node.findAll().some((other) => other instanceof Svc && other !== scope))
    throw new ConfigurationError(
      `${scope.node.path}: a stack takes one Svc, because two have more resources than the 500 of CloudFormation. Give the other one a stack of its own.`,
    );
}

/** The stage with the origin of a dashboard that has no domain: that of its distribution, which is made after what names it. */
function withDashboardOrigin(stage: Stage, host: () => string | undefined): Stage {
  const dashboard = dashboardOf(stage);
  if (dashboard === undefined || dashboard.domain) return stage;
  return { ...stage, dashboard: { ...dashboard, origin: Lazy.string({ produce: () => `https://${host()}` }) } };
}

/** A game's page may set cookies for the domain above its own, unless that domain is a public suffix (RFC 6265, section 5.3). */
function warnOfSharedCookies(scope: Construct, { gamesDomain }: Stage): void {
  if (gamesDomain === undefined || gamesDomain.isPublicSuffix) return;
  const { name } = gamesDomain;
  Annotations.of(scope).addWarningV2(
    "svc:gamesDomainIsNoPublicSuffix",
    `Each game can set cookies for all games below ${name} and keep them from loading. Have ${name} entered in the Public Suffix List, then set isPublicSuffix (docs/operations/games.md).`,
  );
}

/** `createToken` is the construct `CreateToken`. */
function constructId(route: RouteName): string {
  return route.charAt(0).toUpperCase() + route.slice(1);
}
