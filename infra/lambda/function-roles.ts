import { createHash } from "node:crypto";
import { Lazy, Stack } from "aws-cdk-lib";
import {
  type AddToPrincipalPolicyResult,
  PolicyDocument,
  type PolicyStatement,
  Role,
  ServicePrincipal,
} from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";

/**
 * The role of a function, or of several with the same permissions. It has them inside: as the CDK's separate policy they would be a
 * resource more for each role.
 */
export class FunctionRole extends Role {
  private readonly permissions: PolicyDocument;

  constructor(scope: Construct, id = "Role", description?: string) {
    const permissions = new PolicyDocument();
    super(scope, id, {
      assumedBy: new ServicePrincipal("lambda.amazonaws.com"),
      inlinePolicies: { permissions },
      ...(description !== undefined && { description }),
    });
    this.permissions = permissions;
  }

  override addToPrincipalPolicy(statement: PolicyStatement): AddToPrincipalPolicyResult {
    this.permissions.addStatements(statement);
    return { statementAdded: true, policyDependable: this };
  }
}

/**
 * The roles of the functions of routes: functions with exactly the same permissions have one, because CloudFormation takes 500 resources a
 * stack and routes are most of them (docs/decisions/0041-what-a-deployment-may-do.md#roles-of-functions).
 */
export class FunctionRoles extends Construct {
  private readonly functions = new Map<string, string[]>();

  /**
   * The role with these permissions, which is named by them: a function whose permissions change gets another role, and no other function's
   * change.
   *
   * @param name of the function, which the role's description lists
   */
  roleFor(name: string, permissions: readonly PolicyStatement[]): FunctionRole {
    const text = JSON.stringify(Stack.of(this).resolve(permissions.map((statement) => statement.toStatementJson())));
    const id = createHash("sha256").update(text).digest("hex").slice(0, 8);
    const names = this.functions.get(id) ?? [];
    names.push(name);
    if (names.length > 1) return this.node.findChild(id) as FunctionRole;
    this.functions.set(id, names);
    const role = new FunctionRole(this, id, Lazy.string({ produce: () => `svc: ${names.join(", ")}` }));
    for (const statement of permissions) role.addToPrincipalPolicy(statement);
    return role;
  }
}
