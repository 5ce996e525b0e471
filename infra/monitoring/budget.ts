import { CfnBudget } from "aws-cdk-lib/aws-budgets";
import type { Construct } from "constructs";
import type { Stage } from "../settings/stage.ts";

/**
 * An alarm on the bill of the whole account, for costs that no other alarm measures, such as uploads that nobody publishes.
 * AWS counts up to a day late. The budget has no fixed name, because CloudFormation creates a changed budget before it removes
 * the old one.
 */
export function createBudget(scope: Construct, stage: Stage): CfnBudget {
  const subscribers = [{ subscriptionType: "EMAIL", address: stage.alarmEmail }];
  const notice = (notificationType: "ACTUAL" | "FORECASTED", threshold: number) => ({
    notification: { notificationType, threshold, thresholdType: "PERCENTAGE", comparisonOperator: "GREATER_THAN" },
    subscribers,
  });
  return new CfnBudget(scope, "Budget", {
    budget: {
      budgetType: "COST",
      timeUnit: "MONTHLY",
      budgetLimit: { amount: stage.monthlyBudgetDollars, unit: "USD" },
    },
    notificationsWithSubscribers: [notice("ACTUAL", 80), notice("FORECASTED", 100)],
  });
}
