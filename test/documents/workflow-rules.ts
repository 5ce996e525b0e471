import { parseDocument, visit } from "yaml";

/*
 * Rules for workflows of GitHub: those of zizmor (https://docs.zizmor.sh/audits/) and actionlint, and the promises of documents about a job
 * that publishes. The names are zizmor's if it has one.
 */

type Values = Readonly<Record<string, unknown>>;

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Values;
  readonly with?: Values;
}

interface Job extends Values {
  readonly steps?: readonly Step[];
  readonly permissions?: Values | string;
  readonly environment?: unknown;
}

interface Workflow extends Values {
  readonly on: string | readonly string[] | Values;
  readonly jobs: Readonly<Record<string, Job>>;
}

const trustedTriggers = ["push", "release", "workflow_dispatch", "schedule", "pull_request"];
const textOf = (value: unknown) => JSON.stringify(value) ?? "";
const stepsOf = ({ jobs }: Workflow) => Object.values(jobs).flatMap(({ steps = [] }) => steps);
const hasSecret = (value: unknown) => /\bsecrets\b/.test(textOf(value));

/** Whether a job can get at what publishes. */
function isPrivileged({ permissions, ...job }: Job): boolean {
  return hasSecret(job) || textOf(permissions).includes('"id-token":"write"');
}

const privilegedSteps = ({ jobs }: Workflow) =>
  Object.values(jobs)
    .filter(isPrivileged)
    .flatMap(({ steps = [] }) => steps);

/** Each says which parts of a workflow are wrong. */
export const workflowRules = {
  "dangerous-triggers": ({ on }) =>
    (typeof on === "string" ? [on] : Array.isArray(on) ? on : Object.keys(on)).filter(
      (name) => !trustedTriggers.includes(name),
    ),
  artipacked: (workflow) =>
    stepsOf(workflow).filter(
      ({ uses = "", with: inputs }) =>
        uses.startsWith("actions/checkout@") && inputs?.["persist-credentials"] !== false,
    ),
  "excessive-permissions": ({ permissions, jobs }) => [
    ...(textOf(permissions) === "{}" ? [] : [permissions]),
    ...Object.values(jobs).filter(({ permissions: allowed, environment }) =>
      typeof allowed !== "object"
        ? true
        : Object.entries(allowed).some(
            ([name, value]) =>
              value !== "read" && !(["attestations", "id-token"].includes(name) && environment !== undefined),
          ),
    ),
  ],
  "template-injection": (workflow) =>
    stepsOf(workflow).filter((step) => `${step.run}${step.with?.["script"]}`.includes("${{")),
  "secrets-inherit": ({ jobs }) => Object.values(jobs).filter((job) => job["secrets"] === "inherit"),
  "secrets-outside-env": ({ jobs, ...workflow }) => [
    ...(hasSecret(workflow) ? [workflow] : []),
    ...Object.values(jobs).filter(
      ({ steps = [], ...job }) =>
        hasSecret({ ...job, secrets: undefined }) ||
        (hasSecret(steps) && job.environment === undefined) ||
        steps.some(({ env: _, ...step }) => hasSecret(step)),
    ),
  ],
  "overprovisioned-secrets": (workflow) => (/toJSON\(\s*secrets|secrets\[/i.test(textOf(workflow)) ? [workflow] : []),
  "cache-poisoning": (workflow) =>
    privilegedSteps(workflow).filter(
      ({ uses = "", with: inputs = {} }) =>
        uses.startsWith("actions/cache") ||
        "cache" in inputs ||
        (uses.startsWith("actions/setup-node@") && inputs["package-manager-cache"] !== false),
    ),
  "build-beside-credential": (workflow) =>
    privilegedSteps(workflow).filter(
      ({ uses = "", run = "" }) =>
        uses.startsWith("actions/checkout@") ||
        /\b(npm (ci|run)|npx|yarn|pnpm)\b|npm install (?!.*--ignore-scripts)/.test(run),
    ),
  "unpinned-download": (workflow) =>
    stepsOf(workflow).filter(
      ({ run = "", with: inputs }) =>
        (/https?:\/\//.test(run) && !run.includes("sha256sum --check")) ||
        (inputs?.["cli"] !== undefined && !/^[0-9a-f]{64}$/.test(String(inputs["sha256"]))),
    ),
  "github-env": (workflow) =>
    stepsOf(workflow).filter((step) => /GITHUB_(ENV|PATH)|ACTIONS_ALLOW_UNSECURE_COMMANDS/.test(textOf(step))),
  "self-hosted-runner": ({ jobs }) =>
    Object.values(jobs).filter((job) => !/^"(ubuntu|windows|macos)-[\w.-]+"$/.test(textOf(job["runs-on"]))),
  "unpinned-images": ({ jobs }) =>
    Object.values(jobs).filter(({ container, services }) =>
      [container, ...Object.values((services as Values) ?? {})].some(
        (image) => image !== undefined && !/@sha256:[0-9a-f]{64}"/.test(textOf(image)),
      ),
    ),
  "no-timeout": ({ jobs }) => Object.values(jobs).filter((job) => typeof job["timeout-minutes"] !== "number"),
  "concurrency-limits": ({ concurrency }) =>
    (concurrency as Values | undefined)?.["cancel-in-progress"] === false ? [] : [concurrency],
} as const satisfies Record<string, (workflow: Workflow) => readonly unknown[]>;

export type WorkflowRule = keyof typeof workflowRules | "unpinned-uses";

/** The rules that a workflow, or the description of an action, breaks. */
export function brokenRules(text: string): WorkflowRule[] {
  const document = parseDocument(text);
  if (document.errors.length > 0) throw new Error(`It is no YAML: ${document.errors.join(", ")}`);
  const workflow = { jobs: {}, on: {}, ...(document.toJS() as object) } as Workflow;
  const names = Object.keys(workflowRules) as (keyof typeof workflowRules)[];
  const broken: WorkflowRule[] = names.filter((name) => workflowRules[name](workflow).length > 0);
  return unpinnedUses(text).length > 0 ? [...broken, "unpinned-uses"] : broken;
}

/** Foreign actions and workflows that are not named by a commit, with their version in a comment. */
function unpinnedUses(text: string): string[] {
  const found: string[] = [];
  visit(parseDocument(text), {
    Pair: (_, { key, value }) => {
      const { value: name } = key as { value?: unknown };
      const { value: used, comment } = (value ?? {}) as { value?: unknown; comment?: string };
      if (name !== "uses" || String(used).startsWith("./")) return;
      const isPinned = /^[\w.-]+\/[\w./-]+@[0-9a-f]{40}$/.test(String(used));
      if (!isPinned || !/^ v\d+\.\d+\.\d+$/.test(comment ?? "")) found.push(String(used));
    },
  });
  return found;
}
