import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Resource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  DependsOn?: string | readonly string[];
}

const ofType = (type: string) => ({ name: type, matches: ({ Type }: Resource) => Type === type });

/** Resources that MiniStack's CloudFormation cannot make, as docs/operations/first-hour.md lists them. */
export const unsupported: readonly {
  readonly name: string;
  matches(resource: Resource): boolean;
}[] = [
  ofType("AWS::Budgets::Budget"),
  ofType("AWS::CloudWatch::Dashboard"),
  {
    name: "AWS::CloudWatch::Alarm with metric math",
    matches: ({ Type, Properties }) => Type === "AWS::CloudWatch::Alarm" && Properties?.["Metrics"] !== undefined,
  },
  // Of alarms with metric math.
  ofType("AWS::CloudWatch::CompositeAlarm"),
  ofType("AWS::Logs::DeliverySource"),
  ofType("AWS::Logs::DeliveryDestination"),
  ofType("AWS::Logs::Delivery"),
  ofType("AWS::Cognito::ManagedLoginBranding"),
  ofType("AWS::Backup::BackupSelection"),
  ofType("AWS::Route53::HealthCheck"),
  // It needs a layer with the AWS command line, which MiniStack does not give to functions.
  ofType("Custom::CDKBucketDeployment"),
];

/**
 * Takes them out of the templates of a cloud assembly. A stack that has nothing else is not deployed then.
 *
 * @returns the name of each that was taken out
 * @throws Error if another resource needs one of them
 */
function leaveOut(assembly: string): string[] {
  const left: string[] = [];
  for (const file of globSync(join(assembly, "*.template.json"))) {
    const template = JSON.parse(readFileSync(file, "utf8")) as { Resources: Record<string, Resource> };
    const gone: string[] = [];
    for (const [id, resource] of Object.entries(template.Resources)) {
      const row = unsupported.find(({ matches }) => matches(resource));
      if (row === undefined) continue;
      delete template.Resources[id];
      left.push(row.name);
      gone.push(id);
    }
    for (const resource of Object.values(template.Resources)) {
      if (resource.DependsOn === undefined) continue;
      resource.DependsOn = [resource.DependsOn].flat().filter((id) => !gone.includes(id));
    }
    const text = JSON.stringify(template);
    const needed = gone.filter((id) => text.includes(`{"Ref":"${id}"}`) || text.includes(`{"Fn::GetAtt":["${id}",`));
    if (needed.length > 0)
      throw new Error(`${file} refers to ${needed.join(", ")}, which the foreign cloud cannot make`);
    writeFileSync(file, text);
  }
  return left;
}

/* The program `cdk` of the suite (lab/cloud/cloud.ts) calls this after a synth: the assembly is the last argument. */
if (import.meta.main) console.log(leaveOut(process.argv.at(-1) ?? "").join("\n"));
