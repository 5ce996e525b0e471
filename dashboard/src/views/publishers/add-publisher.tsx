import { useState } from "preact/hooks";
import { slugOf } from "../../../../contract/api/projects/slug.ts";
import { useDashboard } from "../../dashboard.ts";
import { AddressField } from "../../parts/address-field.tsx";
import { FormActions } from "../../parts/button.tsx";
import { Copy } from "../../parts/copy.tsx";
import { Choice, FieldError, TextField } from "../../parts/field.tsx";
import { type Submission, useSubmission } from "../../parts/form.ts";
import { Notice, Problem } from "../../parts/notice.tsx";
import { commandOf, type Numbers, numbersOf, type Repository, repositoryOf } from "../../repository.ts";
import type { Publisher } from "../../resources.ts";
import { type Purpose, PurposeField, proposals, purposes } from "./purpose-field.tsx";
import { WorkflowFile } from "./workflow-file.tsx";

interface AddProps {
  /** Undefined: a project that does not exist yet, whose address the form asks for. */
  readonly slug: string | undefined;
  /** User ID of the project's owner, if it is known. */
  readonly owner: string | undefined;
  readonly onAdded: () => Promise<void>;
  readonly onCancel: () => void;
}

/** First the repository's URL, then which of its jobs may publish, then the file with them. */
export function AddPublisher({ slug, owner, onAdded, onCancel }: AddProps) {
  const [repository, setFound] = useState<RepositoryLookup>();
  const [added, setAdded] = useState<AddedJobs>();
  const show = async (jobs: AddedJobs) => {
    await onAdded();
    setAdded(jobs);
  };
  if (added) return <WorkflowFile {...added} owner={owner} onClose={onCancel} />;
  if (repository) return <JobsForm {...repository} {...{ slug, onCancel }} onAdded={show} />;
  return <RepositoryForm onFound={setFound} onCancel={onCancel} />;
}

/** Jobs that now may publish a project. */
interface AddedJobs {
  readonly project: string;
  readonly publisher: Publisher;
}

interface RepositoryLookup {
  readonly repository: Repository;
  /** Undefined: the provider does not tell strangers. */
  readonly numbers: Numbers | undefined;
}

interface RepositoryFormProps {
  readonly onFound: (repository: RepositoryLookup) => void;
  readonly onCancel: () => void;
}

function RepositoryForm({ onFound, onCancel }: RepositoryFormProps) {
  const { configuration } = useDashboard();
  const [url, setUrl] = useState("");
  const [isUnknown, setUnknown] = useState(false);
  const submission = useSubmission();
  const send = submission.onSubmit(async () => {
    const repository = repositoryOf(url, configuration);
    setUnknown(repository === undefined);
    if (repository) onFound({ repository, numbers: await numbersOf(repository) });
  });
  return (
    <form onSubmit={send}>
      <TextField
        label="URL of the repository"
        hint="At GitHub or GitLab, such as https://github.com/ada/star-hopper. This page asks the provider for its numbers."
        inputMode="url"
        spellcheck={false}
        autocapitalize="none"
        required
        value={url}
        onValue={setUrl}
        error={
          isUnknown
            ? "This is no repository’s URL of GitHub, of GitLab or of a host that this service knows."
            : undefined
        }
      />
      <FormActions submit="Continue" doing="Looking it up…" busy={submission.busy} onCancel={onCancel} />
    </form>
  );
}

type Event = Extract<Publisher, { provider: "github" }>["events"][number];

/** Events that may start a workflow, in plain words. */
const eventsInWords: Record<Event, { readonly label: string; readonly hint?: string }> = {
  push: { label: "A push (push)" },
  release: { label: "A release on GitHub (release)" },
  workflow_dispatch: { label: "A person, by hand (workflow_dispatch)" },
  schedule: { label: "A schedule (schedule)" },
  pull_request: {
    label: "A pull request of this repository (pull_request)",
    hint: "Whoever can push a branch can then do what these jobs may. Pull requests from forks never can.",
  },
};

/** Words for things that both providers know, each under names of its own. */
const words = {
  github: {
    name: "GitHub",
    repository: "Number of the repository",
    owner: "Number of its owner",
    file: "Workflow file",
    standardFile: ".github/workflows/publish.yml",
    fields: { repository: "/repository_id", owner: "/repository_owner_id", file: "/workflow" },
  },
  gitlab: {
    name: "GitLab",
    repository: "Number of the project",
    owner: "Number of its group or user",
    file: "Pipeline’s file",
    standardFile: ".gitlab-ci.yml",
    fields: { repository: "/project_id", owner: "/namespace_id", file: "/ci_config_path" },
  },
} as const;

interface Jobs extends Numbers {
  readonly may: Purpose;
  readonly file: string;
  readonly environment: string;
  /** Undefined: as the environment suggests. */
  readonly refProtected?: boolean;
  readonly onlyLatestRun: boolean;
  readonly events: readonly Event[];
}

/** An environment has rules of its own for branches and tags. Previews are of branches that are not protected yet. */
function isRefProtected({ refProtected, environment, may }: Jobs): boolean {
  return refProtected ?? (environment === "" && may === "publish");
}

/** Body of the request that the form sends. */
function bodyOf({ provider, path, issuer }: Repository, jobs: Jobs) {
  const common = {
    ...(issuer !== undefined && { issuer }),
    may: jobs.may,
    environment: jobs.environment === "" ? null : jobs.environment,
    ref_protected: isRefProtected(jobs),
    only_latest_run: jobs.onlyLatestRun && jobs.may === "publish",
    repository: path,
  };
  const { repository, owner, file } = jobs;
  return provider === "github"
    ? {
        provider,
        ...common,
        repository_id: repository,
        repository_owner_id: owner,
        workflow: file,
        events: [...jobs.events],
      }
    : { provider, ...common, project_id: repository, namespace_id: owner, ci_config_path: file };
}

interface JobsFormProps extends Pick<AddProps, "slug" | "onCancel">, RepositoryLookup {
  readonly onAdded: (jobs: AddedJobs) => Promise<void>;
}

function JobsForm({ slug, repository, numbers, onAdded, onCancel }: JobsFormProps) {
  const { api } = useDashboard();
  const { provider } = repository;
  const [jobs, setJobs] = useState<Jobs>({
    ...(numbers ?? { repository: "", owner: "" }),
    may: "publish",
    onlyLatestRun: false,
    file: words[provider].standardFile,
    ...proposals.publish,
  });
  const [project, setProject] = useState(slugOf(repository.path.replace(/^.*\//, "")));
  const sent = useSubmission();
  const isPending = slug === undefined;
  // The request for a pending publisher has the same fields one level deeper.
  const submission = isPending
    ? { ...sent, fieldError: (field: string) => sent.fieldError(`/publisher${field}`) }
    : sent;
  const change = (part: Partial<Jobs>) => setJobs({ ...jobs, ...part });
  const add = sent.onSubmit(async () => {
    const publisher = bodyOf(repository, jobs);
    await onAdded(
      isPending
        ? await api.call("POST /publishers", { body: { project, publisher } })
        : {
            project: slug,
            publisher: await api.call("POST /projects/:slug/publishers", { params: { slug }, body: publisher }),
          },
    );
  });
  return (
    <form onSubmit={add}>
      <p>
        A job of <b>{repository.path}</b> may{" "}
        {isPending ? "create the project at this address and publish it" : purposes[jobs.may]} if all of this is true of
        the job.
        {isPending &&
          " The job must also name you as the owner, by your user ID, which the list shows with it. The first publication must come within 30 days. Until then the address is not reserved."}
      </p>
      <Problem of={submission} />
      {!isPending && <PurposeField chosen={jobs.may} onChosen={(may) => change({ may, ...proposals[may] })} />}
      {isPending && <AddressField value={project} onValue={setProject} error={sent.fieldError("/project")} />}
      <NumberFields repository={repository} isKnown={numbers !== undefined} {...{ jobs, change, submission }} />
      <FileFields provider={provider} {...{ jobs, change, submission }} />
      {provider === "github" && <EventFields {...{ jobs, change, submission }} />}
      <FormActions
        submit={
          isPending ? "Let them create it" : jobs.may === "publish" ? "Let them publish" : "Let them open previews"
        }
        doing="Adding…"
        busy={submission.busy}
        onCancel={onCancel}
      />
    </form>
  );
}

interface FieldsProps {
  readonly jobs: Jobs;
  readonly change: (part: Partial<Jobs>) => void;
  readonly submission: Submission;
}

interface NumberFieldsProps extends FieldsProps {
  readonly repository: Repository;
  readonly isKnown: boolean;
}

function NumberFields({ repository, isKnown, jobs, change, submission }: NumberFieldsProps) {
  const { name, fields, ...labels } = words[repository.provider];
  const of = (field: "repository" | "owner") => ({
    label: labels[field],
    inputMode: "numeric" as const,
    required: true as const,
    value: jobs[field],
    onValue: (text: string) => change({ [field]: text.trim() }),
    error: submission.fieldError(fields[field]),
  });
  return (
    <>
      {isKnown ? (
        <Notice kind="done">{name} told this page both numbers.</Notice>
      ) : (
        <>
          <Notice kind="note">
            {name} does not tell this page the numbers of {repository.path}: maybe it is private. This command prints
            both, for whoever can read it.
          </Notice>
          <Copy text={commandOf(repository)} label="the command that prints both numbers" />
        </>
      )}
      <TextField
        {...of("repository")}
        autoFocus
        hint="A name can be given up and registered by somebody else. No other repository ever gets this number."
      />
      <TextField {...of("owner")} hint="If the repository moves to another owner, its jobs can no longer publish." />
    </>
  );
}

function FileFields({ provider, jobs, change, submission }: FieldsProps & Pick<Repository, "provider">) {
  const { file, fields } = words[provider];
  const text = { spellcheck: false, autocapitalize: "none" } as const;
  return (
    <>
      <TextField
        {...text}
        label={file}
        hint="The file that the job is written in. Jobs of other files are refused, even if they call this one."
        required
        value={jobs.file}
        onValue={(path) => change({ file: path })}
        error={submission.fieldError(fields.file)}
      />
      <TextField
        {...text}
        label="Environment (recommended)"
        hint="The job must use it, so its rules hold: who reviews, which branches. Empty: any environment or none."
        value={jobs.environment}
        onValue={(environment) => change({ environment })}
        error={submission.fieldError("/environment")}
      />
      <Choice
        type="checkbox"
        name="ref_protected"
        label="Only from protected branches and tags"
        hint="Without it, and without an environment that limits branches, whoever can push a branch can publish."
        checked={isRefProtected(jobs)}
        onChecked={(refProtected) => change({ refProtected })}
      />
      {jobs.may === "publish" && (
        <Choice
          type="checkbox"
          name="only_latest_run"
          label="Never over a later run"
          hint="A job that runs again then never puts its old build in the place of a later run’s, not even with --replace-later-run. A person still can."
          checked={jobs.onlyLatestRun}
          onChecked={(onlyLatestRun) => change({ onlyLatestRun })}
        />
      )}
    </>
  );
}

function EventFields({ jobs: { events }, change, submission }: FieldsProps) {
  return (
    <fieldset>
      <legend>What started the workflow</legend>
      {(Object.keys(eventsInWords) as Event[]).map((event) => (
        <Choice
          key={event}
          type="checkbox"
          name="events"
          {...eventsInWords[event]}
          checked={events.includes(event)}
          onChecked={(on) => change({ events: on ? [...events, event] : events.filter((one) => one !== event) })}
        />
      ))}
      <FieldError of={submission.fieldError("/events")} />
    </fieldset>
  );
}
