import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Resource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}

/** Resources that MiniStack's CloudFormation cannot make, as docs/operations/first-hour.md lists them. */
export const unsupported: readonly {
  readonly name: string;
  matches(resource: Resource): boolean;
}[] = [
  { name: "AWS::Budgets::Budget", matches: ({ Type }) => Type === "AWS::Budgets::Budget" },
  { name: "AWS::CloudWatch::Dashboard", matches: ({ Type }) => Type === "AWS::CloudWatch::Dashboard" },
  {
    name: "AWS::CloudWatch::Alarm with metric math",
    matches: ({ Type, Properties }) => Type === "AWS::CloudWatch::Alarm" && Properties?.["Metrics"] !== undefined,
  },
];

/** Takes them out of the templates of a cloud assembly. @returns the name of each that was taken out */
function leaveOut(assembly: string): string[] {
  const left: string[] = [];
  for (const file of globSync(join(assembly, "*.template.json"))) {
    const template = JSON.parse(readFileSync(file, "utf8")) as { Resources: Record<string, Resource> };
    for (const [id, resource] of Object.entries(template.Resources)) {
      const row = unsupported.find(({ matches }) => matches(resource));
      if (row === undefined) continue;
      delete template.Resources[id];
      left.push(row.name);
    }
    writeFileSync(file, JSON.stringify(template));
  }
  return left;
}

/* The program `cdk` of the suite (lab/cloud/cloud.ts) calls this after a synth: the assembly is the last argument. */
if (import.meta.main) console.log(leaveOut(process.argv.at(-1) ?? "").join("\n"));
