import * as environment from "../../functions/environment.ts";
import { readConfiguredStage } from "../settings/configured-stages.ts";

/** Rights in AWS with which a colleague can use the operator's commands of one stage. */
export type OperatorRights = "read" | "change";

/**
 * The policy of such a colleague. None of these rights reaches a file of a game, or a token, of which only hashes are stored; but whoever
 * may change the table can make themselves the owner of anything in it.
 */
export function policyOf(rights: OperatorRights, name: string, path: string | undefined) {
  const { account, region } = readConfiguredStage(name, path);
  const statement = (Sid: string, Action: readonly string[], Resource: string) => ({
    ...{ Sid, Effect: "Allow", Action, Resource },
  });
  const dynamodb = (...operations: string[]) => operations.map((operation) => `dynamodb:${operation}`);
  const table = `arn:aws:dynamodb:${region}:${account}:table/${environment.tableName()}`;
  const [store, distribution] = [environment.gamesStoreArn(), environment.gamesDistributionId()];
  const edge =
    store === undefined
      ? []
      : [
          statement(
            "Pointers",
            ["DescribeKeyValueStore", "ListKeys", "UpdateKeys"].map((each) => `cloudfront-keyvaluestore:${each}`),
            store,
          ),
          statement(
            "Purge",
            ["cloudfront:CreateInvalidation"],
            `arn:aws:cloudfront::${account}:distribution/${distribution}`,
          ),
        ];
  const changes = [
    statement(
      "ChangeTable",
      dynamodb("PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem", "BatchWriteItem"),
      table,
    ),
    ...edge,
  ];
  return {
    Version: "2012-10-17",
    Statement: [
      statement(
        "FindStage",
        ["cloudformation:DescribeStacks"],
        `arn:aws:cloudformation:${region}:${account}:stack/svc-${name}/*`,
      ),
      statement("ReadTable", dynamodb("BatchGetItem", "Query", "Scan"), table),
      ...(rights === "change" ? changes : []),
    ],
  };
}
