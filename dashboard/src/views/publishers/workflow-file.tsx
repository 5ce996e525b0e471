import { useEffect, useState } from "preact/hooks";
import { useDashboard } from "../../dashboard.ts";
import { withValues } from "../../help-values.ts";
import { Button } from "../../parts/button.tsx";
import { Copy } from "../../parts/copy.tsx";
import { TextField } from "../../parts/field.tsx";
import { Notice } from "../../parts/notice.tsx";
import type { Publisher } from "../../resources.ts";
import { isLocal } from "../../sign-in/openid-connect.ts";
import { titleOf } from "./publisher-facts.tsx";
import { workflowOf } from "./workflow.ts";

const pages = {
  github: { name: "github-actions", previews: "a-preview-for-each-pull-request" },
  gitlab: { name: "gitlab", previews: "a-preview-for-each-branch" },
};

interface WorkflowFileProps {
  readonly publisher: Publisher;
  readonly project: string;
  /** User ID of the project's owner, if it is known. */
  readonly owner: string | undefined;
  readonly onClose: () => void;
}

/** The finished file for the jobs of a publisher, from the page of help about their provider. */
export function WorkflowFile({ publisher, project, owner = "YOUR-USER-ID", onClose }: WorkflowFileProps) {
  const { configuration } = useDashboard();
  const { provider, may } = publisher;
  const [examples, setExamples] = useState<readonly string[] | undefined>(may === "publish" ? undefined : []);
  const [folder, setFolder] = useState("dist");
  const { name, previews } = pages[provider];
  const page = `/help/${name}.html`;
  useEffect(() => {
    if (may === "publish") readExamples(name).then(setExamples, () => setExamples([]));
  }, [name, may]);
  const isFolder = /^[\w.-]+(\/[\w.-]+)*$/.test(folder);
  const text = examples?.length
    ? fileOf(publisher, examples, { project, owner, folder: isFolder ? folder : "dist" })
    : undefined;
  const file = provider === "github" ? publisher.workflow : publisher.ci_config_path;
  if (examples === undefined) return <p role="status">Loading…</p>;
  return (
    <>
      <p>
        One step is left: commit {text ? "this" : "a workflow"} to <b>{titleOf(publisher)}</b> as <code>{file}</code>.
        {text && " It builds the game with npm and publishes it, without a token."}
      </p>
      {isLocal(new URL(configuration.api)) && (
        <Notice kind="note">
          This service runs on your machine, which no job of GitHub or GitLab reaches. The file works once the service
          is deployed, with the URLs that its dashboard then shows.
        </Notice>
      )}
      {text && (
        <>
          <TextField
            label="Folder that the build makes"
            spellcheck={false}
            autocapitalize="none"
            value={folder}
            onValue={setFolder}
            error={isFolder ? undefined : "must be the path of a folder in the repository, such as dist or build/web"}
          />
          <Copy lines text={withValues(text, configuration, location.origin)} label="the workflow file" />
        </>
      )}
      <p class="hint">
        <a href={may === "preview" ? `${page}#${previews}` : page} target="_blank" rel="noreferrer">
          {may === "preview" ? "The workflow file of previews" : "What each part of it is for"}
        </a>
      </p>
      <div class="actions">
        <Button onClick={onClose}>Done</Button>
      </div>
    </>
  );
}

/** The YAML that a page of help shows (dashboard/help.ts). */
async function readExamples(name: string): Promise<readonly string[]> {
  const response = await fetch("/help/workflows.json");
  const workflows = response.ok ? ((await response.json()) as Record<string, readonly string[]>) : {};
  return workflows[name] ?? [];
}

/** Nothing if the page of help is another version's, which has another example. */
function fileOf(...parameters: Parameters<typeof workflowOf>): string | undefined {
  try {
    return workflowOf(...parameters);
  } catch {
    return undefined;
  }
}
