import { createHash } from "node:crypto";
import { Fn, type Stack } from "aws-cdk-lib";
import { CfnDelivery, CfnDeliveryDestination, CfnDeliverySource } from "aws-cdk-lib/aws-logs";
import { distributionOutput } from "../../../infra/games/games-names.ts";
import type { Stage } from "../../../infra/settings/stage.ts";
import { addOutput } from "../../../infra/stacks/output.ts";
import { EdgeStack } from "../../../infra/stacks/sibling-stack.ts";
import { logFields } from "../contract/log-fields.ts";
import { logBucketOutput, logPrefix, logSuffix } from "./log-names.ts";

/**
 * The delivery of the access log of a stage's games to its bucket: the fields of options/statistics/contract/log-fields.ts and no others, as Parquet.
 * CloudFront takes it in us-east-1 alone ("Configure standard logging (v2)" of its Developer Guide). It is deployed after the stage's own
 * stack, whose outputs it reads.
 */
export class GamesLogStack extends EdgeStack {
  constructor(service: Stack, stage: Stage) {
    super(service, "games-log", `which fields of players' requests ${stage.name} logs`);
    const output = (name: string) => Fn.getStackOutput(service.stackName, name, stage.region);
    const distribution = output(distributionOutput);
    // A distribution has one source of each kind, whatever its name, so a source has the name of its distribution.
    const source = new CfnDeliverySource(this, "Source", {
      name: `svc-${stage.name}-games-${distribution}`,
      logType: "ACCESS_LOGS",
      resourceArn: `arn:aws:cloudfront::${stage.account}:distribution/${distribution}`,
    });
    /** Name with the settings' digest. With other settings CloudFormation makes another destination beside the old one, which it then deletes. */
    const named = <Settings extends object>(settings: Settings) => {
      const text = JSON.stringify(this.resolve(settings));
      const digest = createHash("sha256").update(text).digest("hex").slice(0, 8);
      return { name: `svc-${stage.name}-games-${digest}`, ...settings };
    };
    const destination = new CfnDeliveryDestination(
      this,
      "Destination",
      named({ outputFormat: "parquet", destinationResourceArn: `${output(logBucketOutput)}/${logPrefix}` }),
    );
    const delivery = new CfnDelivery(this, "Delivery", {
      deliverySourceName: source.name,
      deliveryDestinationArn: destination.attrArn,
      recordFields: [...logFields],
      s3SuffixPath: logSuffix,
      s3EnableHiveCompatiblePath: false,
    });
    delivery.addResourceDependency(source);
    addOutput(this, distributionOutput, distribution, "The distribution whose log is delivered");
  }
}
