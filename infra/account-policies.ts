import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Aws, Json } from "./deployed-stage.ts";

/** The two policies of an account, which decide what a deployment may do (docs/decisions/0041-what-a-deployment-may-do.md). */
const policies = { "svc-boundary": "permissions-boundary.json", "svc-execution": "execution-policy.json" } as const;

export interface PolicyChange {
  readonly name: keyof typeof policies;
  readonly change: "create" | "update";
}

const fileOf = (name: keyof typeof policies) => join(import.meta.dirname, policies[name]);
const arnOf = (account: string, name: string) => `arn:aws:iam::${account}:policy/${name}`;

/** Policies that the account lacks, or has as another version of this repository wrote them. */
export async function outdatedPolicies(aws: Aws, account: string): Promise<PolicyChange[]> {
  const changes: PolicyChange[] = [];
  for (const name of Object.keys(policies) as (keyof typeof policies)[]) {
    const deployed = await defaultVersion(aws, arnOf(account, name));
    if (deployed === undefined) changes.push({ name, change: "create" });
    else if (!isDeepStrictEqual(deployed, JSON.parse(readFileSync(fileOf(name), "utf8"))))
      changes.push({ name, change: "update" });
  }
  return changes;
}

/** The document that is in force; undefined: there is no such policy. */
async function defaultVersion(aws: Aws, arn: string): Promise<Json | undefined> {
  const found = await aws("iam", "get-policy", "--policy-arn", arn).catch((error: Error) => {
    if (error.message.includes("NoSuchEntity")) return undefined;
    throw error;
  });
  if (found === undefined) return undefined;
  const { PolicyVersion } = await aws(
    ...["iam", "get-policy-version", "--policy-arn", arn, "--version-id", found.Policy.DefaultVersionId],
  );
  const { Document } = PolicyVersion;
  return typeof Document === "string" ? JSON.parse(decodeURIComponent(Document)) : Document;
}

/** IAM keeps five versions of a policy: the oldest one goes if a sixth is made. */
export async function writePolicy(aws: Aws, account: string, { name, change }: PolicyChange): Promise<void> {
  const document = `file://${fileOf(name)}`;
  if (change === "create") {
    await aws("iam", "create-policy", "--policy-name", name, "--policy-document", document);
    return;
  }
  const arn = arnOf(account, name);
  const { Versions } = await aws("iam", "list-policy-versions", "--policy-arn", arn);
  const old = Versions.filter(({ IsDefaultVersion }: Json) => !IsDefaultVersion).toSorted((one: Json, other: Json) =>
    one.CreateDate < other.CreateDate ? -1 : 1,
  );
  if (Versions.length >= 5)
    await aws("iam", "delete-policy-version", "--policy-arn", arn, "--version-id", old[0].VersionId);
  await aws("iam", "create-policy-version", "--policy-arn", arn, "--policy-document", document, "--set-as-default");
}
