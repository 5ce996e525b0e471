import { useState } from "preact/hooks";
import { useDashboard } from "../../dashboard.ts";
import { FormActions } from "../../parts/button.tsx";
import { TextArea } from "../../parts/field.tsx";
import { useSubmission } from "../../parts/form.ts";
import { Problem } from "../../parts/notice.tsx";
import type { Project } from "../../resources.ts";
import { NewProjectFields, useNewProject } from "./new-project.tsx";

interface ProjectFormProps {
  readonly onCreated: (project: Project) => void;
  readonly onCancel: () => void;
}

/** Form for a project whose first release comes later, from a terminal or CI. */
export function ProjectForm({ onCreated, onCancel }: ProjectFormProps) {
  const { api } = useDashboard();
  const project = useNewProject("");
  const [description, setDescription] = useState("");
  const submission = useSubmission();
  const create = submission.onSubmit(async () => {
    const { slug, name } = project;
    const body = { slug, name, ...(description !== "" && { description }) };
    onCreated(await api.call("POST /projects", { creates: true, body }));
  });
  return (
    <form onSubmit={create}>
      <Problem of={submission} />
      <NewProjectFields of={project} submission={submission} />
      <TextArea
        label="Description (optional)"
        value={description}
        onValue={setDescription}
        error={submission.fieldError("/description")}
      />
      <FormActions submit="Create project" doing="Creating the project…" busy={submission.busy} onCancel={onCancel} />
    </form>
  );
}
