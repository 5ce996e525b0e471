/** Properties of a publisher on which its workflow file depends. */
export type WorkflowPublisher = { readonly environment: string | null } & (
  | { readonly provider: "github"; readonly events: readonly Event[] }
  | { readonly provider: "gitlab" }
);

/** Other values that a workflow file names. */
interface WorkflowValues {
  /** Slug of the project. */
  readonly project: string;
  /** User ID of its owner. */
  readonly owner: string;
  /** Folder that the build makes. */
  readonly folder: string;
}

type Event = "push" | "release" | "workflow_dispatch" | "schedule" | "pull_request";

/** Triggers of a workflow, by the events of a publisher. A release is made of what is pushed, so it triggers a workflow only without pushes. */
const triggers: Record<Event, string> = {
  push: "  push:\n    branches: [main]\n",
  release: "  release:\n    types: [published]\n",
  workflow_dispatch: "  workflow_dispatch:\n",
  schedule: '  schedule:\n    - cron: "0 6 * * 1"\n',
  pull_request: "",
};

/**
 * The file that publishes with a job's identity: the workflow of the documents, whose values are those of a publisher.
 *
 * @param examples the YAML of docs/github-actions.md or docs/gitlab.md, block by block
 * @throws Error if the examples have not what is replaced
 */
export function workflowOf(publisher: WorkflowPublisher, examples: readonly string[], values: WorkflowValues): string {
  const { provider, environment } = publisher;
  const { project, owner, folder } = values;
  const [withToken = "", identity = ""] = examples;
  const edits: readonly (readonly [string, string])[] =
    provider === "github"
      ? [
          [triggers.push, triggersOf(publisher.events)],
          ["    permissions: {}\n    steps:", "    permissions:\n      id-token: write\n    steps:"],
          [`          SVC_TOKEN: $\{{ secrets.SVC_TOKEN }}\n`, ""],
          ["          svc whoami\n", ""],
        ]
      : [
          ["    - svc whoami\n", ""],
          ["  rules:\n", `${identity}  rules:\n`],
        ];
  const withIdentity = [
    ...edits,
    [" environment: production\n", environment === null ? "\n" : ` environment: ${scalarOf(environment)}\n`] as const,
    ["svc publish dist --project my-game", commandOf(provider, { project, owner, folder })] as const,
  ].reduce((text, [from, to]) => replaced(text, from, to), withToken);
  return replaced(withIdentity, pathOf(provider, "dist"), pathOf(provider, folder)).replace(/^ +\n/gm, "");
}

/** Triggers of the workflow that is shown: a pull request starts none that publishes. */
function triggersOf(events: readonly Event[]): string {
  const wanted = events.includes("push") ? events.filter((event) => event !== "release") : events;
  return wanted.map((event) => triggers[event]).join("") || "  workflow_dispatch:\n";
}

function pathOf(provider: WorkflowPublisher["provider"], folder: string): string {
  return provider === "github" ? `path: ${folder}\n` : `paths: [${folder}]`;
}

function commandOf(provider: WorkflowPublisher["provider"], { project, owner, folder }: WorkflowValues): string {
  const isPlain = /^[\w.-]+$/.test(owner);
  const command = `svc publish ${folder} --project ${project} --owner ${isPlain ? owner : `'${owner.replaceAll("'", "'\\''")}'`}`;
  // At GitLab it is an item of a list, in which YAML would read a colon or a hash; at GitHub a line of a script.
  return isPlain || provider === "github" ? command : JSON.stringify(command);
}

function scalarOf(text: string): string {
  return /^[A-Za-z][\w-]*$/.test(text) ? text : JSON.stringify(text);
}

function replaced(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`The example has no ${from}`);
  return text.replaceAll(from, () => to);
}
