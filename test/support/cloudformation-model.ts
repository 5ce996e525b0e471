import type { Resource, Resources } from "./synthesis.ts";

/*
 * Rules of CloudFormation and Lambda about names, versions and what is retained: enough to say whether a sequence of deployments
 * is possible. Everything else of a resource is accepted.
 */

export interface Template {
  readonly Resources: Resources;
  readonly Outputs?: Readonly<Record<string, { readonly Value: unknown }>>;
}

interface Existing {
  readonly type: string;
  /** A function's code, and the code of each version that was published. */
  code?: unknown;
  /** Path in the bucket to which a delivery writes its logs. */
  path?: string | undefined;
  readonly published: unknown[];
}

interface StackState {
  readonly template: Template;
  /** Physical ids by logical ids. */
  readonly ids: ReadonlyMap<string, string>;
  readonly outputs: ReadonlyMap<string, unknown>;
}

/** The properties in which a template gives a resource a name of its own, which nothing else of the account and type may have. */
const names = [
  "FunctionName",
  "BucketName",
  "TableName",
  "LogGroupName",
  "AlarmName",
  "DashboardName",
  "RoleName",
  "Name",
];

function ownName({ Type: type, Properties = {} }: Resource): string | undefined {
  if (type === "AWS::Route53::RecordSet") return `${Properties.Name} ${Properties.Type}`;
  const inner = Object.entries(Properties).find(
    ([key, value]) => /Config$/.test(key) && (value as { Name?: string }).Name,
  );
  const found = names.map((name) => Properties[name]).find((value) => typeof value === "string");
  return found ?? (inner?.[1] as { Name?: string } | undefined)?.Name;
}

/** One account, all regions. */
export class CloudFormationModel {
  readonly existing = new Map<string, Existing>();
  readonly stacks = new Map<string, StackState>();
  /** The versions that a distribution has run. */
  readonly #replicated = new Set<string>();
  #made = 0;

  /**
   * Creates or updates a stack, and deletes what its template has no longer.
   *
   * @param failing the logical id of a resource that cannot be made; then everything is as before
   * @throws Error as CloudFormation refuses
   */
  deploy(stack: string, template: Template, failing?: string): void {
    const before = this.stacks.get(stack);
    const ids = new Map<string, string>();
    const created: string[] = [];
    const codes = new Map<Existing, unknown>();
    const make = (id: string): string => {
      const done = ids.get(id);
      if (done !== undefined) return done;
      const resource = template.Resources[id];
      // A pseudo parameter or a parameter.
      if (resource === undefined) return id;
      for (const other of references(resource.Properties)) if (other !== id) make(other);
      this.#resolveOutputs(resource);
      const kept = before?.ids.get(id);
      if (kept === undefined) created.push(id);
      if (id === failing) throw new Error(`${id} CREATE_FAILED`);
      const physical = kept ?? this.#create(resource, ids);
      const state = this.existing.get(physical);
      if (state && resource.Type === "AWS::Lambda::Function") {
        codes.set(state, state.code);
        state.code = resource.Properties.Code;
      }
      if (state && resource.Type === "AWS::Logs::Delivery")
        state.path = deliveryPath(resource, template, before?.template.Resources[id], state.path);
      ids.set(id, physical);
      return physical;
    };
    try {
      for (const id of Object.keys(template.Resources)) make(id);
    } catch (error) {
      for (const [state, code] of codes) state.code = code;
      for (const id of created.filter((each) => ids.has(each)).toReversed())
        if (template.Resources[id]?.DeletionPolicy !== "Retain") this.existing.delete(ids.get(id) ?? "");
      this.#rollBack(before);
      throw error;
    }
    const outputs = new Map(Object.entries(template.Outputs ?? {}).map(([id, { Value }]) => [id, resolve(Value, ids)]));
    const removed = [...(before?.ids ?? [])].filter(([id]) => !ids.has(id));
    this.stacks.set(stack, { template, ids, outputs });
    for (const [id, physical] of removed) this.#remove(before?.template.Resources[id], physical);
  }

  delete(stack: string): void {
    const { template, ids } = this.#stack(stack);
    this.stacks.delete(stack);
    for (const [id, physical] of [...ids].toReversed()) this.#remove(template.Resources[id], physical);
  }

  /** Path in the bucket to which a stack's delivery writes logs, with variables. */
  logPath(stack: string): string | undefined {
    const { template, ids } = this.#stack(stack);
    const [id = ""] = Object.entries(template.Resources).find(([, { Type }]) => Type === "AWS::Logs::Delivery") ?? [];
    return this.existing.get(ids.get(id) ?? "")?.path;
  }

  /** The code that the distributions of a stack run. */
  played(stack: string): unknown[] {
    const { template } = this.#stack(stack);
    const associations = found(template.Resources, "LambdaFunctionARN");
    const outputs = found(associations, "Fn::GetStackOutput") as Record<string, string>[];
    return outputs.map(({ StackName = "", OutputName = "" }) => this.#codeOf(this.output(StackName, OutputName)));
  }

  /** @throws Error if there is no such stack or output */
  output(stack: string, name: string): unknown {
    const { outputs } = this.#stack(stack);
    if (!outputs.has(name)) throw new Error(`${stack} has no output ${name}`);
    return outputs.get(name);
  }

  #codeOf(versionArn: unknown): unknown {
    const [, name = "", number] = /:function:(.+):(\d+)$/.exec(String(versionArn)) ?? [];
    return this.existing.get(name)?.published[Number(number) - 1];
  }

  #stack(name: string): StackState {
    const found = this.stacks.get(name);
    if (found === undefined) throw new Error(`Stack ${name} does not exist`);
    return found;
  }

  #create(resource: Resource, ids: ReadonlyMap<string, string>): string {
    const { Type: type, Properties } = resource;
    if (type === "AWS::Lambda::Version") return this.#publish(String(resolve(Properties.FunctionName, ids)));
    const name = ownName(resource) ?? `${type}-${++this.#made}`;
    if ([...this.existing].some(([id, other]) => id === name && other.type === type))
      throw new Error(`${name} already exists`);
    // Resources of two types may share a name.
    const physical = this.existing.has(name) ? `${type} ${name}` : name;
    this.existing.set(physical, { type, published: [] });
    return physical;
  }

  #publish(name: string): string {
    const state = this.existing.get(name);
    if (state === undefined) throw new Error(`Function not found: ${name}`);
    if (JSON.stringify(state.published.at(-1)) === JSON.stringify(state.code))
      throw new Error(`A version for this Lambda function exists ( ${state.published.length} )`);
    state.published.push(state.code);
    return `arn:aws:lambda:us-east-1:111111111111:function:${name}:${state.published.length}`;
  }

  #remove(resource: Resource | undefined, physical: string): void {
    if (resource?.DeletionPolicy?.startsWith("Retain")) return;
    // CloudFront removes its replicas only hours later.
    if ([...this.#replicated].some((arn) => arn === physical || arn.includes(`:function:${physical}:`)))
      throw new Error(`${physical} is a replicated function`);
    this.existing.delete(physical);
  }

  /** AWS does not say whether it resolves what the former template names of other stacks once more; here it does. */
  #rollBack(before: StackState | undefined): void {
    try {
      for (const resource of Object.values(before?.template.Resources ?? {})) this.#resolveOutputs(resource);
    } catch (error) {
      throw new Error("UPDATE_ROLLBACK_FAILED", { cause: error });
    }
  }

  /** `Fn::GetStackOutput` fails if the other stack lacks the output. A distribution that names a version replicates it. */
  #resolveOutputs({ Type: type, Properties }: Resource): void {
    const outputs = (found(Properties, "Fn::GetStackOutput") as Record<string, string>[]).map(
      ({ StackName = "", OutputName = "" }) => String(this.output(StackName, OutputName)),
    );
    if (type === "AWS::CloudFront::Distribution") for (const arn of outputs) this.#replicated.add(arn);
  }
}

/**
 * Without a folder in the destination's ARN CloudFront's delivery gets one of AWS when it is created, which an update takes away
 * (aws-cloudformation/cloudformation-coverage-roadmap#2274, hashicorp/terraform-provider-aws#46328).
 */
function deliveryPath(
  delivery: Resource,
  { Resources }: Template,
  former: Resource | undefined,
  path: string | undefined,
): string | undefined {
  if (JSON.stringify(former) === JSON.stringify(delivery)) return path;
  const { DeliveryDestinationArn, S3SuffixPath } = delivery.Properties;
  const { DestinationResourceArn } = Resources[DeliveryDestinationArn["Fn::GetAtt"][0]]?.Properties ?? {};
  const folder: string | undefined = DestinationResourceArn["Fn::Join"]?.[1].at(-1);
  if (folder !== undefined) return `${folder.slice(1)}/${S3SuffixPath}`;
  return former === undefined ? `AWSLogs/111111111111/CloudFront/${S3SuffixPath}` : S3SuffixPath;
}

/** The arguments of each use of an intrinsic function. */
function found(value: unknown, intrinsic: string): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => (key === intrinsic ? [inner] : found(inner, intrinsic)));
}

function references(properties: unknown): string[] {
  const attributes = found(properties, "Fn::GetAtt") as string[][];
  return [...(found(properties, "Ref") as string[]), ...attributes.map(([id = ""]) => id)];
}

function resolve(value: unknown, ids: ReadonlyMap<string, string>): unknown {
  const { Ref } = value as { Ref?: string };
  return Ref === undefined ? value : (ids.get(Ref) ?? Ref);
}
