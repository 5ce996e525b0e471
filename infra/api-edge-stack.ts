import { CfnOutput, Duration, Fn, Stack, Validations } from "aws-cdk-lib";
import { Certificate } from "aws-cdk-lib/aws-certificatemanager";
import {
  AllowedMethods,
  CachePolicy,
  type CfnDistribution,
  Distribution,
  HttpVersion,
  OriginProtocolPolicy,
  OriginRequestCookieBehavior,
  OriginRequestHeaderBehavior,
  OriginRequestPolicy,
  OriginRequestQueryStringBehavior,
  OriginSslPolicy,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from "aws-cdk-lib/aws-cloudfront";
import { HttpOrigin } from "aws-cdk-lib/aws-cloudfront-origins";
import type { CfnWebACL } from "aws-cdk-lib/aws-wafv2";
import type { Construct } from "constructs";
import { domainTargetOutput } from "./api.ts";
import { apiEdgeAlarms } from "./api-edge-alarms.ts";
import { createWebAcl } from "./api-edge-waf.ts";
import { certificatesOf } from "./certificates.ts";
import { edgeRegion } from "./domains.ts";
import { raiseAlarms } from "./raise-alarms.ts";
import type { StageWithApiEdge } from "./stage.ts";

/** The errors whose responses CloudFront would keep for ten seconds, for everybody who asks for the same URL. */
const keptErrors = [400, 403, 404, 405, 414, 500, 501, 502, 503, 504];

/**
 * What stands before the API of a stage with `apiEdge`, in us-east-1 whatever the stage's region, because AWS WAF's rules for
 * CloudFront and the metrics of both are there. It passes every request on as it came and keeps no response
 * (docs/decisions/0061-a-distribution-before-the-api.md).
 */
export class ApiEdgeStack extends Stack {
  constructor(scope: Construct, stage: StageWithApiEdge) {
    super(scope, `svc-${stage.name}-edge`, {
      env: { account: stage.account, region: edgeRegion },
      description: `svc, the publishing service: the distribution before the API of ${stage.name}`,
      terminationProtection: stage.disposable !== true,
    });
    const webAcl = createWebAcl(this, stage);
    const distribution = this.distribute(stage, webAcl);
    const definitions = apiEdgeAlarms(distribution, stage);
    raiseAlarms(this, { ...stage, region: edgeRegion }, definitions, certificatesOf(stage, "edge"));
    new CfnOutput(this, "ApiEdgeTarget", {
      value: distribution.distributionDomainName,
      description: `What the DNS record of ${stage.domain.name} must point to (CNAME or alias)`,
    });
    new CfnOutput(this, "WebAclId", { value: webAcl.attrId, description: "Of AWS WAF's own commands" });
    Validations.of(distribution).acknowledge(
      { id: "AwsSolutions-CFR1", reason: "Developers may be in any country." },
      { id: "AwsSolutions-CFR3", reason: "API Gateway logs what is let through, without anybody's address." },
    );
  }

  private distribute({ name, region, domain, apiEdge }: StageWithApiEdge, webAcl: CfnWebACL): Distribution {
    // API Gateway's own host name for the domain is known once the stage's stack is deployed.
    const target = Fn.getStackOutput(`svc-${name}`, domainTargetOutput, region);
    const distribution = new Distribution(this, "Distribution", {
      comment: `The API of svc ${name}`,
      domainNames: [domain.name],
      certificate: Certificate.fromCertificateArn(this, "Certificate", apiEdge.certificateArn),
      minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2025,
      httpVersion: HttpVersion.HTTP2_AND_3,
      // AWS WAF counts each IPv6 address by itself, and a customer gets 2^64 of them.
      enableIpv6: false,
      webAclId: webAcl.attrArn,
      defaultBehavior: {
        origin: new HttpOrigin(target, {
          protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY,
          originSslProtocols: [OriginSslPolicy.TLS_V1_2],
          // API Gateway ends a request after 30 seconds, with a response of its own.
          readTimeout: Duration.seconds(35),
        }),
        allowedMethods: AllowedMethods.ALLOW_ALL,
        // A redirect would come after the token was sent in the clear.
        viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
        compress: false,
        cachePolicy: CachePolicy.CACHING_DISABLED,
        originRequestPolicy: this.originRequestPolicy(name),
      },
      errorResponses: keptErrors.map((httpStatus) => ({ httpStatus, ttl: Duration.seconds(0) })),
    });
    (distribution.node.defaultChild as CfnDistribution).addPropertyOverride(
      "DistributionConfig.Origins.0.CustomOriginConfig.OriginMtlsConfig",
      { ClientCertificateArn: apiEdge.clientCertificateArn },
    );
    return distribution;
  }

  /**
   * All that the viewer sends, and its address. Host too, so API Gateway's domain has the name that people use: CloudFront asks for
   * the certificate of that name, though it connects to another one. If cookies are passed on, it gives no two requests for the same URL one response.
   */
  private originRequestPolicy(name: string): OriginRequestPolicy {
    return new OriginRequestPolicy(this, "OriginRequestPolicy", {
      originRequestPolicyName: `svc-${name}-api`,
      headerBehavior: OriginRequestHeaderBehavior.all("CloudFront-Viewer-Address"),
      cookieBehavior: OriginRequestCookieBehavior.all(),
      queryStringBehavior: OriginRequestQueryStringBehavior.all(),
    });
  }
}
