import "../../programs/stack-options.ts";
import { expect, test } from "@jest/globals";
import { everyOption } from "../../test/support/synthesis/settings.ts";
import { ofType, type Resource, synthesise } from "../../test/support/synthesis.ts";

const staging = synthesise("staging");

/** The properties of a resource that an overview shows, if its type has them: sizes and permissions. */
function detailsOf({ Type, Properties, DeletionPolicy, UpdateReplacePolicy }: Resource): string {
  const sizes = Type === "AWS::Lambda::Function" ? `${Properties.MemorySize} MB, ${Properties.Timeout} s` : "";
  const role = Properties?.Role?.["Fn::GetAtt"]?.[0] ?? "";
  const retained = [DeletionPolicy, UpdateReplacePolicy].includes("Retain") ? "RETAINED" : "";
  return [sizes, role, retained].filter(Boolean).join("  ");
}

/** `Fn::GetAtt` and `Fn::Join` as a person writes them. */
function written(value: Resource["Properties"]): string {
  if (Array.isArray(value)) return value.map(written).join(" ");
  if (typeof value !== "object" || value === null) return String(value);
  const [[operator, operand]] = Object.entries(value) as [[string, Resource["Properties"]]];
  if (operator === "Ref") return operand;
  if (operator === "Fn::GetAtt") return `<${operand.join(".")}>`;
  return operator === "Fn::Join" ? operand[1].map(written).join(operand[0]) : JSON.stringify(value);
}

function statementsIn({ Properties }: Resource): string[] {
  const documents = [Properties?.Policies ?? [], Properties]
    .flat()
    .flatMap(({ PolicyDocument }) => PolicyDocument ?? []);
  return documents.flatMap(({ Statement }) =>
    Statement.map(({ Effect, Action, Resource: places, Condition }: Resource["Properties"]) => {
      const condition = Condition === undefined ? "" : ` if ${JSON.stringify(Condition).replaceAll(/["{}]/g, "")}`;
      return `    ${Effect === "Allow" ? "" : "DENY "}${written(Action)} on ${written(places)}${condition}`;
    }),
  );
}

/** The permissions that the role of every traced function has, which would be a quarter of the table. */
const usual = [
  "    logs:CreateLogStream logs:PutLogEvents on <FunctionLog05E39BEF.Arn>",
  "    xray:PutTelemetryRecords xray:PutTraceSegments on *",
];

test("the resources, what is retained, the sizes and the permissions are those that were reviewed", () => {
  const rows = Object.entries(synthesise("staging", everyOption("staging")))
    // Each has the name of its route, which is in the table.
    .filter(([, { Type }]) => Type !== "AWS::ApiGatewayV2::Integration")
    .map(([id, resource]) => {
      const row = `${resource.Type.replace("AWS::", "").padEnd(34)} ${id.padEnd(48)} ${detailsOf(resource)}`;
      return [row.trimEnd(), ...statementsIn(resource).filter((statement) => !usual.includes(statement))].join("\n");
    });
  expect(`\n${rows.toSorted().join("\n")}\n`).toMatchSnapshot();
});

test("objects are read over TLS 1.2 or later, and nobody but the account owns them", () => {
  for (const { Properties } of ofType(staging, "AWS::S3::BucketPolicy"))
    expect(Properties.PolicyDocument.Statement).toContainEqual(
      expect.objectContaining({ Effect: "Deny", Condition: { NumericLessThan: { "s3:TlsVersion": 1.2 } } }),
    );
  for (const { Properties } of ofType(staging, "AWS::S3::Bucket"))
    expect(Properties.OwnershipControls.Rules).toEqual([{ ObjectOwnership: "BucketOwnerEnforced" }]);
});
