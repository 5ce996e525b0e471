import { isDeepStrictEqual } from "node:util";
import type { Aws, Json } from "./aws-command.ts";

/* What a deployment changes in a stack: its template beside the one that is deployed. */

/** A resource as a template has it. */
interface TemplateResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly Metadata?: unknown;
}

type Resources = Readonly<Record<string, TemplateResource>>;

export interface Template {
  readonly Resources?: Resources;
  readonly Outputs?: Readonly<Record<string, unknown>>;
}

/** A change of something that holds data or serves players. */
export interface NamedChange {
  /** Its logical id, by which `--allow` names it. */
  readonly id: string;
  readonly what: string;
  readonly change: "change" | "REMOVE" | "REPLACE";
  /** The properties that change. */
  readonly properties: readonly string[];
}

export interface TemplateChanges {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  readonly named: readonly NamedChange[];
}

/** Types of resources that hold data or that people have the address of, in words. */
const named: Readonly<Record<string, string>> = {
  "AWS::ApiGatewayV2::Api": "API",
  "AWS::ApiGatewayV2::DomainName": "host name of the API",
  "AWS::Backup::BackupVault": "vault of copies",
  "AWS::CloudFront::Distribution": "distribution",
  "AWS::CloudFront::KeyValueStore": "store of pointers",
  "AWS::Cognito::UserPool": "user pool",
  "AWS::DynamoDB::GlobalTable": "table",
  "AWS::S3::Bucket": "bucket",
};

/**
 * Compares a template with the deployed one.
 *
 * @param deployed undefined: the stack is new
 * @param replacing the properties of a type that CloudFormation changes only by making another resource; undefined if it does not say
 */
export async function changesOf(
  deployed: Template | undefined,
  next: Template,
  replacing: (type: string) => Promise<readonly string[] | undefined>,
): Promise<TemplateChanges> {
  const [deployedResources, nextResources] = [deployed?.Resources ?? {}, next.Resources ?? {}];
  const changed = Object.keys(nextResources).filter(
    (id) => id in deployedResources && !isSame(deployedResources[id], nextResources[id]),
  );
  const removed = Object.keys(deployedResources).filter((id) => !(id in nextResources));
  const removals = removed.flatMap((id) => {
    const what = named[deployedResources[id]?.Type ?? ""];
    return what === undefined ? [] : [{ id, what, change: "REMOVE" as const, properties: [] }];
  });
  const others = changed.map((id) => namedChange(id, deployedResources[id], nextResources[id], replacing));
  return {
    added: Object.keys(nextResources).length - Object.keys(deployedResources).length + removed.length,
    changed: changed.length,
    removed: removed.length,
    named: [...removals, ...(await Promise.all(others)).flat()],
  };
}

/** The CDK's own notes are no change of a resource. */
function isSame(one: TemplateResource | undefined, other: TemplateResource | undefined): boolean {
  return isDeepStrictEqual({ ...one, Metadata: undefined }, { ...other, Metadata: undefined });
}

async function namedChange(
  id: string,
  before: TemplateResource | undefined,
  after: TemplateResource | undefined,
  replacing: (type: string) => Promise<readonly string[] | undefined>,
): Promise<NamedChange[]> {
  const type = before?.Type ?? "";
  const what = named[type];
  if (what === undefined) return [];
  if (after?.Type !== type) return [{ id, what, change: "REPLACE", properties: ["Type"] }];
  const [old = {}, next = {}] = [before?.Properties, after.Properties];
  const properties = [...new Set([...Object.keys(old), ...Object.keys(next)])].filter(
    (name) => !isDeepStrictEqual(old[name], next[name]),
  );
  if (properties.length === 0) return [];
  const replacingProperties = await replacing(type);
  // Without knowledge it must be allowed by name.
  const isReplaced = replacingProperties === undefined || properties.some((name) => replacingProperties.includes(name));
  return [{ id, what, change: isReplaced ? "REPLACE" : "change", properties }];
}

/** The template of a stack as it was deployed. */
export async function deployedTemplate(aws: Aws, stack: string): Promise<Template> {
  const { TemplateBody: body } = await aws(
    ...["cloudformation", "get-template", "--stack-name", stack, "--template-stage", "Original"],
  );
  return typeof body === "string" ? JSON.parse(body) : body;
}

/** Asks CloudFormation's registry which properties of a type are only set when a resource is created. */
export function replacingProperties(aws: Aws): (type: string) => Promise<readonly string[] | undefined> {
  return async (type) => {
    const description = await aws("cloudformation", "describe-type", "--type", "RESOURCE", "--type-name", type).catch(
      () => undefined,
    );
    if (description?.Schema === undefined) return undefined;
    const { createOnlyProperties = [], conditionalCreateOnlyProperties = [] }: Json = JSON.parse(description.Schema);
    // Such as /properties/KeySchema, or /properties/Policies/items/Name inside one.
    return [...createOnlyProperties, ...conditionalCreateOnlyProperties].flatMap(
      (path: string) => path.split("/")[2] ?? [],
    );
  };
}
