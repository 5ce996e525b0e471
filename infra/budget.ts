import { CfnBudget } from "aws-cdk-lib/aws-budgets";
import type { Construct } from "constructs";
import type { Stage } from "./stage.ts";

/**
 * The alarm on the bill, of the whole account: what the alarms cannot see, such as a bucket that somebody fills, costs
 * money first. AWS counts a day behind. It has no name of ours: another address or threshold makes CloudFormation create
 * it anew before it removes the old one, and two of one name cannot be.
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
