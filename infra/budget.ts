import { CfnBudget } from "aws-cdk-lib/aws-budgets";
import type { Construct } from "constructs";
import type { Stage } from "./stage.ts";

/**
 * The alarm on the bill, of the whole account: what the alarms cannot see, such as a bucket that somebody fills, costs
 * money first. AWS counts a day behind.
 */
export function createBudget(scope: Construct, stage: Stage): CfnBudget {
  const subscribers = [{ subscriptionType: "EMAIL", address: stage.alarmEmail }];
  const notice = (notificationType: "ACTUAL" | "FORECASTED", threshold: number) => ({
    notification: { notificationType, threshold, thresholdType: "PERCENTAGE", comparisonOperator: "GREATER_THAN" },
    subscribers,
  });
  return new CfnBudget(scope, "Budget", {
    budget: {
      budgetName: `svc-${stage.name}`,
      budgetType: "COST",
      timeUnit: "MONTHLY",
      budgetLimit: { amount: stage.monthlyBudgetDollars, unit: "USD" },
    },
    notificationsWithSubscribers: [notice("ACTUAL", 80), notice("FORECASTED", 100)],
  });
}
