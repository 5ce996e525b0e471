import { Annotations, CfnOutput, PermissionsBoundary, RemovalPolicy, Stack } from "aws-cdk-lib";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import type { IBucket } from "aws-cdk-lib/aws-s3";
import type { Construct } from "constructs";
import { type RouteName, routes } from "../contract/api/routes.ts";
import { serviceVersion } from "../contract/api/version.ts";
import { options } from "../options/infra.ts";
import { Alarms } from "./alarms.ts";
import { Api } from "./api.ts";
import { createBucket } from "./bucket.ts";
import { createBudget } from "./budget.ts";
import { createDashboard } from "./dashboard.ts";
import { DashboardSite } from "./dashboard-site.ts";
import { refuseEmulator } from "./emulator-guard.ts";
import { FunctionRoles } from "./function-roles.ts";
import { GamesEdge, type GamesEdgeProps } from "./games-edge.ts";
import { GamesLog } from "./games-log.ts";
import { originVersionArn } from "./games-origin-stack.ts";
import { createPointers } from "./pointers.ts";
import { acknowledgeResources, RouteFunction } from "./route-function.ts";
import { addressLogDays, type Stage } from "./stage.ts";
import { Sweep } from "./sweep.ts";
import { createTable } from "./table.ts";
import { withUserPool } from "./user-pool.ts";

export interface ServiceStackProps {
  readonly stage: Stage;
  /** Where each bundle is. */
  readonly code: (name: string) => string;
  /** Where the built dashboard is. */
  readonly dashboard: string;
}

/** The stack of one stage. It only connects the parts. */
export class ServiceStack extends Stack {
  constructor(scope: Construct, { stage: configured, code, dashboard: folder }: ServiceStackProps) {
    super(scope, `svc-${configured.name}`, {
      env: { account: configured.account, region: configured.region },
      description: `svc, the publishing service: ${configured.name}`,
      terminationProtection: configured.disposable !== true,
      // infra/permissions-boundary.json: CloudFormation may create no role without it.
      permissionsBoundary: PermissionsBoundary.fromName("svc-boundary"),
    });
    refuseEmulator(this, process.env);
    const stage = withUserPool(this, configured);
    warnOfSharedCookies(this, stage);
    const table = createTable(this, stage);
    const bucket = createBucket(
      this,
      stage,
      options.flatMap(({ files }) => files?.(this, stage) ?? []),
    );
    const games = this.gamesEdge(stage, {
      table,
      bucket: bucket as IBucket,
      code: code("games-origin"),
      apiUrl: () => api.url,
    });
    const gamesStoreArn = games?.store.keyValueStoreArn;
    const functionLog = this.log("FunctionLog", stage);
    const accessLog = this.log("AccessLog", { ...stage, logRetentionDays: addressLogDays(stage) });
    const common = { stage, table, logGroup: functionLog };
    const roles = new FunctionRoles(this, "Roles");
    const functions = (Object.keys(routes) as RouteName[]).map(
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
    const added = options.flatMap(({ addTo }) => addTo(this, { ...common, code }) ?? []);
    const sweep = new Sweep(this, "Sweep", { ...common, code: code("sweep"), bucket });
    const pointers =
      gamesStoreArn === undefined
        ? undefined
        : createPointers(this, { ...common, code: code("write-pointers"), gamesStoreArn });
    const { gamesDomain: domain } = stage;
    const log = domain && new GamesLog(this, "GamesLog", { ...common, domain, code: code("count-plays") });
    const parts = {
      stage,
      api: api.http,
      functions,
      table,
      functionLog,
      accessLog,
      options: added,
      sweep: sweep.sweeper.lambda,
      pointers,
      counter: log?.counter.lambda,
      games,
    };
    const { alarms } = new Alarms(this, "Alarms", parts);
    createDashboard(this, { ...parts, alarms });
    createBudget(this, stage);
    const { dashboard } = stage;
    if (dashboard)
      new DashboardSite(this, "DashboardSite", {
        stage,
        dashboard,
        api: api.url,
        files: bucket as IBucket,
        folder,
        functionLog,
      });
    new CfnOutput(this, "ApiAddress", { value: api.url, description: "The URL for SVC_API" });
    new CfnOutput(this, "Version", { value: serviceVersion, description: "The version of the service (CHANGELOG.md)" });
    const commit: unknown = this.node.tryGetContext("commit");
    if (commit !== undefined)
      new CfnOutput(this, "Commit", { value: String(commit), description: "No commit before it is deployed after it" });
    new CfnOutput(this, "TableName", { value: table.tableName, description: "The table in use, restored or not" });
  }

  private gamesEdge(
    stage: Stage,
    { code, ...parts }: Pick<GamesEdgeProps, "table" | "bucket" | "apiUrl"> & { readonly code: string },
  ): GamesEdge | undefined {
    const { gamesDomain: domain } = stage;
    if (domain === undefined) return undefined;
    return new GamesEdge(this, "Games", {
      stage,
      domain,
      ...parts,
      originVersionArn: originVersionArn({ stage, code }),
    });
  }

  private log(id: string, stage: Pick<Stage, "disposable" | "logRetentionDays">): LogGroup {
    return new LogGroup(this, id, {
      retention: stage.logRetentionDays,
      removalPolicy: stage.disposable ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
    });
  }
}

/** A game's page may set cookies for the domain above its own, unless that domain is a public suffix (RFC 6265, section 5.3). */
function warnOfSharedCookies(stack: Stack, { gamesDomain }: Stage): void {
  if (gamesDomain === undefined || gamesDomain.isPublicSuffix) return;
  const { name } = gamesDomain;
  Annotations.of(stack).addWarningV2(
    "svc:gamesDomainIsNoPublicSuffix",
    `Each game can set cookies for all games below ${name} and keep them from loading. Have ${name} entered in the Public Suffix List, then set isPublicSuffix (docs/operations/games.md).`,
  );
}

/** `createToken` is the construct `CreateToken`. */
function constructId(route: RouteName): string {
  return route.charAt(0).toUpperCase() + route.slice(1);
}
