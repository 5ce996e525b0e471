import { Annotations, Duration, Fn, Lazy, RemovalPolicy, Validations } from "aws-cdk-lib";
import {
  AllowedMethods,
  type BehaviorOptions,
  CacheCookieBehavior,
  CacheHeaderBehavior,
  CachePolicy,
  CacheQueryStringBehavior,
  type CfnDistribution,
  Distribution,
  Function as EdgeFunction,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  HttpVersion,
  type IDistribution,
  KeyValueStore,
  LambdaEdgeEventType,
  OriginProtocolPolicy,
  OriginRequestCookieBehavior,
  OriginRequestHeaderBehavior,
  OriginRequestPolicy,
  OriginRequestQueryStringBehavior,
  ResponseHeadersPolicy,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from "aws-cdk-lib/aws-cloudfront";
import { HttpOrigin, S3BucketOrigin } from "aws-cdk-lib/aws-cloudfront-origins";
import type { ITableV2 } from "aws-cdk-lib/aws-dynamodb";
import { Version } from "aws-cdk-lib/aws-lambda";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { CloudFrontTarget } from "aws-cdk-lib/aws-route53-targets";
import type { IBucket } from "aws-cdk-lib/aws-s3";
import { Construct } from "constructs";
import { tagHeader } from "../../edge/cache/cache-key.ts";
import { namedContentPrefix } from "../../edge/content/named-content.ts";
import {
  apiHeader,
  filesHeader,
  gamesDomainHeader,
  optionPagesHeader,
  reportUrlHeader,
  tableHeader,
} from "../../edge/origin-request.ts";
import { ownPathPrefix } from "../../edge/pages/own-paths.ts";
import { type ViewerFunction, viewerFunctionCode, viewerFunctionName } from "../bundles/viewer-functions.ts";
import { originShieldRegion } from "../hosts/domains.ts";
import { addRecords, certificateOf } from "../hosts/host-names.ts";
import type { GamesDomain, Stage } from "../settings/stage.ts";
import { offlinePages, optionApiPaths, optionDocumentHeaders, optionPages } from "../settings/stage-option.ts";
import { addOutput } from "../stacks/output.ts";
import { distributionOutput, domainOutput, originLogName } from "./games-names.ts";
import { gamesLifetimes, gamesResponseHeaders, originHeaders } from "./games-policies.ts";

export interface GamesEdgeProps {
  readonly stage: Stage;
  readonly domain: GamesDomain;
  readonly table: ITableV2;
  readonly bucket: IBucket;
  /** The API's URL, which is known when the whole stack is. */
  readonly apiUrl: () => string;
  /** Version of the Lambda@Edge function (infra/games/games-origin-stack.ts). */
  readonly originVersionArn: string;
}

/** The region whose Lambda@Edge and Origin Shield are before the bucket; infra/settings/stage.ts refuses a region without one. */
function shieldRegion({ region }: Pick<Stage, "region">): string {
  return originShieldRegion(region) ?? region;
}

const constructIds: Readonly<Record<ViewerFunction, string>> = {
  "viewer-request": "ViewerRequest",
  "viewer-own": "ViewerOwn",
  "viewer-response": "ViewerResponse",
};

/**
 * Distribution of a stage's games: for every host below the games domain, with the URI as its cache key and the bucket as its origin
 * (docs/decisions/0051-what-runs-at-the-edge.md). Its access log has nobody's address (options/statistics/infra/games-log-stack.ts).
 */
export class GamesEdge extends Construct {
  /** The pointers of the projects (docs/decisions/0050-the-pointer.md). */
  readonly store: KeyValueStore;
  readonly distribution: Distribution;

  constructor(scope: Construct, id: string, props: GamesEdgeProps) {
    super(scope, id);
    const { stage, domain } = props;
    this.store = new KeyValueStore(this, "Pointers", {
      comment: `What players of svc ${stage.name} get of each project`,
    });
    this.distribution = this.distribute(props);
    this.keepLog(stage);
    const target = new CloudFrontTarget(this.distribution as IDistribution);
    addRecords(this, stage, { host: `*.${domain.name}`, target, hasIpv6: true });
    const config = this.distribution.node.defaultChild as CfnDistribution;
    config.addPropertyOverride("DistributionConfig.CacheTagConfig", { HeaderName: tagHeader });
    const { distributionDomainName, distributionId } = this.distribution;
    const record = `What the DNS record of *.${domain.name} must point to (CNAME or alias)`;
    addOutput(this, "GamesTarget", distributionDomainName, record);
    addOutput(this, domainOutput, domain.name, "GAMES_DOMAIN of the operator's commands");
    addOutput(this, "GamesStoreArn", this.store.keyValueStoreArn, "GAMES_STORE_ARN of the operator's commands");
    addOutput(this, distributionOutput, distributionId, "GAMES_DISTRIBUTION_ID of the operator's commands");
    Validations.of(this.distribution).acknowledge(
      { id: "AwsSolutions-CFR1", reason: "Players may be in any country." },
      { id: "AwsSolutions-CFR2", reason: "It serves files to everybody; the viewer's function refuses all else." },
      {
        id: "AwsSolutions-CFR3",
        reason: "The log of options/statistics/infra/games-log-stack.ts is a later kind, which stores no IP addresses.",
      },
    );
  }

  /** Lambda@Edge logs in the region of Origin Shield, and a stack can make a log group in its own region alone. */
  private keepLog(stage: Stage): void {
    const logGroupName = originLogName(stage);
    const region = shieldRegion(stage);
    if (region === stage.region) {
      const { logRetentionDays: retention } = stage;
      new LogGroup(this, "OriginLog", { logGroupName, retention, removalPolicy: RemovalPolicy.DESTROY });
      return;
    }
    const where = `--region ${region} --log-group-name ${logGroupName}`;
    Annotations.of(this).addWarningV2(
      "svc:gamesLogInAnotherRegion",
      `Lambda@Edge of the games logs in ${region}, where its log group must be made once: aws logs create-log-group ${where} && aws logs put-retention-policy ${where} --retention-in-days ${stage.logRetentionDays}`,
    );
  }

  private distribute(props: GamesEdgeProps): Distribution {
    const { stage, domain } = props;
    const behavior = this.behavior(props);
    const request = this.viewerFunction("viewer-request", props);
    const response = this.viewerFunction("viewer-response", props);
    const withRequest = (requestFunction: EdgeFunction) => ({
      ...behavior,
      functionAssociations: [
        { eventType: FunctionEventType.VIEWER_REQUEST, function: requestFunction },
        { eventType: FunctionEventType.VIEWER_RESPONSE, function: response },
      ],
    });
    return new Distribution(this, "Distribution", {
      comment: `The games of svc ${stage.name}`,
      domainNames: [`*.${domain.name}`],
      certificate: certificateOf(this, domain),
      minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2025,
      httpVersion: HttpVersion.HTTP2_AND_3,
      defaultBehavior: withRequest(request),
      // CloudFront takes the first one whose pattern a path has.
      additionalBehaviors: {
        ...this.apiBehaviors(props, behavior),
        [`${namedContentPrefix}*`]: withRequest(request),
        [`${ownPathPrefix}*`]: withRequest(this.viewerFunction("viewer-own", props)),
      },
      errorResponses: Object.entries(gamesLifetimes.errors).map(([status, seconds]) => ({
        httpStatus: Number(status),
        ttl: Duration.seconds(seconds),
      })),
    });
  }

  /**
   * Behaviors of paths below which the API responds. It gets neither the player's address nor cookies, query and agent, which no policy passes on,
   * and nothing is kept of its responses.
   */
  private apiBehaviors({ stage, apiUrl }: GamesEdgeProps, behavior: BehaviorOptions): Record<string, BehaviorOptions> {
    const paths = optionApiPaths(stage);
    if (paths.length === 0) return {};
    const host = Lazy.string({ produce: () => Fn.select(2, Fn.split("/", apiUrl())) });
    const origin = new HttpOrigin(host, { protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY });
    const api: BehaviorOptions = {
      origin,
      allowedMethods: AllowedMethods.ALLOW_ALL,
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      compress: false,
      cachePolicy: CachePolicy.CACHING_DISABLED,
      ...(behavior.responseHeadersPolicy && { responseHeadersPolicy: behavior.responseHeadersPolicy }),
    };
    return Object.fromEntries(paths.map((path) => [`${path}*`, api]));
  }

  /** Options of both behaviors: the bucket behind the cache, and the function between them. */
  private behavior(props: GamesEdgeProps): BehaviorOptions {
    const { stage, domain, table, bucket, originVersionArn } = props;
    const functionVersion = Version.fromVersionArn(this, "Origin", originVersionArn);
    return {
      origin: S3BucketOrigin.withOriginAccessControl(bucket, {
        originShieldRegion: shieldRegion(stage),
        customHeaders: {
          [tableHeader]: table.tableName,
          [gamesDomainHeader]: domain.name,
          ...(optionPages(stage).length > 0 && {
            [apiHeader]: Lazy.string({ produce: props.apiUrl }),
            [filesHeader]: `https://${bucket.bucketRegionalDomainName}`,
            [optionPagesHeader]: optionPages(stage).join(" "),
          }),
          ...(stage.reportUrl !== undefined && { [reportUrlHeader]: stage.reportUrl }),
        },
      }),
      // The viewer's function responds to others with 405.
      allowedMethods: AllowedMethods.ALLOW_ALL,
      viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
      // Releases have Brotli variants, and a range must be one of the file itself.
      compress: false,
      cachePolicy: this.cachePolicy(props),
      originRequestPolicy: this.originRequestPolicy(props),
      responseHeadersPolicy: this.responseHeadersPolicy(props),
      edgeLambdas: [LambdaEdgeEventType.ORIGIN_REQUEST, LambdaEdgeEventType.ORIGIN_RESPONSE].map((eventType) => ({
        eventType,
        functionVersion,
      })),
    };
  }

  /** The URI alone is the key, and the responses say how long they are kept. */
  private cachePolicy({ stage: { name } }: GamesEdgeProps): CachePolicy {
    return new CachePolicy(this, "CachePolicy", {
      cachePolicyName: `svc-${name}-games`,
      minTtl: Duration.seconds(gamesLifetimes.minimum),
      defaultTtl: Duration.seconds(gamesLifetimes.default),
      maxTtl: Duration.seconds(gamesLifetimes.maximum),
      headerBehavior: CacheHeaderBehavior.none(),
      cookieBehavior: CacheCookieBehavior.none(),
      queryStringBehavior: CacheQueryStringBehavior.none(),
      enableAcceptEncodingBrotli: false,
      enableAcceptEncodingGzip: false,
    });
  }

  private originRequestPolicy({ stage: { name } }: GamesEdgeProps): OriginRequestPolicy {
    return new OriginRequestPolicy(this, "OriginRequestPolicy", {
      originRequestPolicyName: `svc-${name}-games`,
      headerBehavior: OriginRequestHeaderBehavior.allowList(...originHeaders),
      cookieBehavior: OriginRequestCookieBehavior.none(),
      queryStringBehavior: OriginRequestQueryStringBehavior.none(),
    });
  }

  private responseHeadersPolicy({ stage: { name } }: GamesEdgeProps): ResponseHeadersPolicy {
    return new ResponseHeadersPolicy(this, "ResponseHeadersPolicy", {
      responseHeadersPolicyName: `svc-${name}-games`,
      securityHeadersBehavior: {
        // As `added` has it in words.
        strictTransportSecurity: { accessControlMaxAge: Duration.days(365), includeSubdomains: true, override: true },
      },
      removeHeaders: [...gamesResponseHeaders.removed],
    });
  }

  private viewerFunction(name: ViewerFunction, { stage, domain }: GamesEdgeProps): EdgeFunction {
    return new EdgeFunction(this, constructIds[name], {
      functionName: viewerFunctionName(stage.name, name),
      runtime: FunctionRuntime.JS_2_0,
      keyValueStore: this.store,
      code: FunctionCode.fromInline(
        viewerFunctionCode(name, {
          gamesDomain: domain.name,
          reportUrl: stage.reportUrl ?? "",
          optionPages: optionPages(stage),
          documentHeaders: optionDocumentHeaders(stage),
          offlinePages: offlinePages(stage),
        }),
      ),
    });
  }
}
