import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type CfnElement, Duration, Stack, Validations } from "aws-cdk-lib";
import {
  CachePolicy,
  Distribution,
  Function as EdgeFunction,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  HeadersFrameOption,
  HeadersReferrerPolicy,
  HttpVersion,
  type IDistribution,
  type IResponseHeadersPolicy,
  ResponseHeadersPolicy,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from "aws-cdk-lib/aws-cloudfront";
import { S3BucketOrigin } from "aws-cdk-lib/aws-cloudfront-origins";
import type { ILogGroup } from "aws-cdk-lib/aws-logs";
import { CloudFrontTarget } from "aws-cdk-lib/aws-route53-targets";
import { Bucket, type IBucket } from "aws-cdk-lib/aws-s3";
import { BucketDeployment, CacheControl, type ISource, Source } from "aws-cdk-lib/aws-s3-deployment";
import { Construct } from "constructs";
import { agentDocuments } from "../../contract/documents/agent-documents.ts";
import {
  assetsFolder,
  cacheControlOf,
  configurationPath,
  pageOf,
  pagePath,
  securityHeaders,
} from "../../dashboard/site.ts";
import type { Configuration } from "../../dashboard/src/configuration.ts";
import { commandLineOf, type Dashboard, dashboardOutput, providerOf, type Stage } from "../settings/stage.ts";
import { leftOutOptions } from "../settings/stage-option.ts";
import { addOutput } from "../stacks/output.ts";
import { closedBucket } from "../storage/bucket.ts";
import { addRecords, certificateOf } from "./host-names.ts";

interface DashboardSiteProps {
  readonly stage: Stage;
  readonly dashboard: Dashboard;
  /** The API's URL. */
  readonly api: string;
  /** The bucket of files, to which the page uploads. */
  readonly files: IBucket;
  /** Folder of the built page. */
  readonly folder: string;
  readonly functionLog: ILogGroup;
}

/**
 * The dashboard on its own host: a private bucket that only its distribution may read, which sends the headers of
 * dashboard/site.ts. Visits are not logged; the API's access log has the requests of visitors. Why a host
 * of its own: docs/decisions/0033-the-dashboards-host.md.
 */
export class DashboardSite extends Construct {
  /** The host name that CloudFront gives it. */
  readonly host: string;

  constructor(scope: Construct, id: string, props: DashboardSiteProps) {
    super(scope, id);
    const { stage, dashboard } = props;
    const configuration = configurationOf(props);
    const bucket = this.bucket(stage);
    const distribution = new Distribution(this, "Distribution", {
      comment: `The dashboard of svc ${stage.name}`,
      ...(dashboard.domain && {
        domainNames: [dashboard.domain.name],
        certificate: certificateOf(this, dashboard.domain),
        minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2025,
      }),
      httpVersion: HttpVersion.HTTP2_AND_3,
      defaultBehavior: {
        origin: S3BucketOrigin.withOriginAccessControl(bucket as IBucket),
        viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
        // Follows the Cache-Control of each object.
        cachePolicy: CachePolicy.CACHING_OPTIMIZED,
        compress: true,
        responseHeadersPolicy: this.headers(configuration, [
          `https://${props.files.bucketName}.s3.${stage.region}.amazonaws.com`,
          ...(dashboard.origins ?? []),
        ]),
        functionAssociations: [{ eventType: FunctionEventType.VIEWER_REQUEST, function: this.views(stage) }],
      },
    });
    this.host = distribution.distributionDomainName;
    const url = `https://${dashboard.domain?.name ?? this.host}`;
    this.deploy(bucket, { configuration, url }, props);
    if (dashboard.domain) {
      const record = `What the DNS record of ${dashboard.domain.name} must point to (CNAME or alias)`;
      addOutput(this, "DashboardTarget", this.host, record);
      const target = new CloudFrontTarget(distribution as IDistribution);
      addRecords(this, stage, { host: dashboard.domain.name, target, hasIpv6: true });
    }
    addOutput(this, dashboardOutput, url, "The page on which people sign in");
    Validations.of(distribution).acknowledge(
      { id: "AwsSolutions-CFR1", reason: "Developers may be in any country." },
      { id: "AwsSolutions-CFR2", reason: "It serves the same few files to everybody; there is no input to filter." },
      { id: "AwsSolutions-CFR3", reason: "Access to public files is no reason to store IP addresses." },
      // Only of one without a domain.
      { id: "AwsSolutions-CFR4", reason: "CloudFront's own host name has CloudFront's own settings of TLS." },
    );
  }

  private bucket(stage: Stage): Bucket {
    const bucket = new Bucket(this, "Files", closedBucket(stage));
    Validations.of(bucket).acknowledge({
      id: "AwsSolutions-S1",
      reason: "Only the distribution reads it, and it holds what everybody may load.",
    });
    return bucket;
  }

  private headers(configuration: Configuration, origins: readonly string[]): IResponseHeadersPolicy {
    const {
      "content-security-policy": contentSecurityPolicy = "",
      "referrer-policy": _referrer,
      "x-content-type-options": _nosniff,
      "x-frame-options": _frames,
      ...others
    } = securityHeaders({ configuration, origins });
    const override = true;
    return new ResponseHeadersPolicy(this, "Headers", {
      securityHeadersBehavior: {
        contentSecurityPolicy: { contentSecurityPolicy, override },
        contentTypeOptions: { override },
        frameOptions: { frameOption: HeadersFrameOption.DENY, override },
        referrerPolicy: { referrerPolicy: HeadersReferrerPolicy.NO_REFERRER, override },
        strictTransportSecurity: { accessControlMaxAge: Duration.days(365), includeSubdomains: true, override },
      },
      customHeadersBehavior: {
        customHeaders: Object.entries(others).map(([header, value]) => ({ header, value, override })),
      },
    });
  }

  /** Serves index.html for the paths of views, which have no extension. */
  private views({ name }: Stage): EdgeFunction {
    return new EdgeFunction(this, "Views", {
      functionName: `svc-${name}-dashboard-views`,
      runtime: FunctionRuntime.JS_2_0,
      code: FunctionCode.fromFile({ filePath: fileURLToPath(new URL("dashboard-views.js", import.meta.url)) }),
    });
  }

  /**
   * Copies the page into the bucket when the stack is deployed: first the assets, then the page that names them. Earlier
   * assets stay, for pages that are open. CloudFormation runs CDK's function for it, for a few seconds.
   */
  private deploy(
    bucket: Bucket,
    { configuration, url }: { readonly configuration: Configuration; readonly url: string },
    { folder, functionLog }: DashboardSiteProps,
  ): void {
    const copy = (id: string, path: string, sources: ISource[], exclude: string[], include: string[]) =>
      new BucketDeployment(this, id, {
        destinationBucket: bucket as IBucket,
        sources,
        exclude,
        include,
        prune: false,
        cacheControl: [CacheControl.fromString(cacheControlOf(path))],
        logGroup: functionLog,
      });
    const all = Source.asset(folder, { exclude: [pagePath.slice(1)] });
    const html = Source.data(
      pagePath.slice(1),
      pageOf(readFileSync(join(folder, pagePath), "utf8"), { origin: url, configuration }),
    );
    const assets = copy("Assets", `/${assetsFolder}/`, [all], ["*"], [`${assetsFolder}/*`]);
    const settings = Source.jsonData(configurationPath.slice(1), configuration);
    const forAgents = Object.entries(agentDocuments(configuration)).map(([name, text]) => Source.data(name, text));
    const page = copy("Page", pagePath, [all, settings, ...forAgents, html], [`${assetsFolder}/*`], []);
    page.node.addDependency(assets);
    acknowledgeCopier(page, bucket);
  }
}

/** CDK makes the function that copies, its role and its permissions: from the bootstrap's bucket to this one. */
function acknowledgeCopier({ handlerRole }: BucketDeployment, bucket: Bucket): void {
  const { account, region } = Stack.of(bucket);
  const target = Stack.of(bucket).getLogicalId(bucket.node.defaultChild as CfnElement);
  const findings = [
    "L1",
    "IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole]",
    ...["GetObject*", "GetBucket*", "List*", "DeleteObject*", "Abort*"].map((action) => `IAM5[Action::s3:${action}]`),
    `IAM5[Resource::<${target}.Arn>/*]`,
    `IAM5[Resource::arn:aws:s3:::cdk-hnb659fds-assets-${account}-${region}/*]`,
  ];
  // CDK has no property for the function's construct, which is the role's parent.
  Validations.of(handlerRole.node.scope ?? handlerRole).acknowledge(
    ...findings.map((finding) => ({
      id: `AwsSolutions-${finding}`,
      reason: "Of CDK's own function, which copies public files from the bootstrap's bucket into the dashboard's.",
    })),
  );
}

/** The configuration that the page reads. */
function configurationOf({ stage, dashboard, api }: DashboardSiteProps): Configuration {
  const { issuer, audience } = providerOf(stage);
  const { firebase, clientId = audience } = dashboard;
  const leftOut = leftOutOptions(stage);
  return {
    api,
    stage: stage.name,
    commandLine: `${commandLineOf(stage)}`,
    ...(stage.gamesDomain && { games: `https://{slug}.${stage.gamesDomain.name}/` }),
    ...(stage.operator && { operator: stage.operator }),
    ...(stage.jobIssuers && { jobIssuers: stage.jobIssuers }),
    ...(stage.maxTokenDays && { maxTokenDays: stage.maxTokenDays }),
    ...(leftOut.length > 0 && { leftOut }),
    identityProvider: firebase
      ? { kind: "firebase", ...firebase, projectId: audience }
      : { kind: "openIdConnect", issuer, clientId },
  };
}
