import { useState } from "preact/hooks";
import { useDashboard } from "../../dashboard.ts";
import { Choice, FieldError, TextField } from "../../parts/field.tsx";
import type { Submission } from "../../parts/form.ts";
import { useLoaded } from "../../parts/loaded.ts";
import { Problem } from "../../parts/notice.tsx";
import { allProjects } from "../../projects.ts";
import type { Project } from "../../resources.ts";

/** Number of projects above which they can be searched. */
const manyProjects = 8;

/** Projects that somebody chooses: null for all, undefined for the one that is offered alone. */
export type ChosenProjects = readonly string[] | null | undefined;

interface ProjectPickerProps<Chosen extends ChosenProjects> {
  readonly projects: Chosen;
  readonly onChange: (projects: Chosen | readonly string[] | null) => void;
  readonly submission: Submission;
  /** One that is offered alone, by the name of the choice. */
  readonly alone?: string;
  /** Which of the person's projects are offered; all, if it is missing. */
  readonly isOffered?: (project: Project) => boolean;
}

export function ProjectPicker<Chosen extends ChosenProjects>({
  projects,
  onChange,
  submission,
  alone,
  isOffered = () => true,
}: ProjectPickerProps<Chosen>) {
  const { api } = useDashboard();
  const [wanted, setWanted] = useState("");
  const owned = useLoaded(async () => (await allProjects(api)).filter(isOffered), [api]);
  const isWanted = ({ slug, name }: { slug: string; name: string }) =>
    projects?.includes(slug) || `${slug} ${name}`.toLowerCase().includes(wanted.trim().toLowerCase());
  const toggle = (slug: string, on: boolean) =>
    onChange(on ? [...(projects ?? []), slug] : (projects ?? []).filter((chosen) => chosen !== slug));
  return (
    <fieldset>
      <legend>In these projects</legend>
      {alone !== undefined && (
        <Choice
          type="radio"
          name="projects"
          label={alone}
          checked={projects === undefined}
          onChecked={() => onChange(undefined as Chosen)}
        />
      )}
      <Choice
        type="radio"
        name="projects"
        label="All my projects, also later ones"
        checked={projects === null}
        onChecked={() => onChange(null)}
      />
      <Choice
        type="radio"
        name="projects"
        label="Only the ones I choose"
        checked={projects !== null && projects !== undefined}
        onChecked={() => onChange([])}
      />
      {projects !== null && projects !== undefined && (
        <div class="nested">
          <Problem of={owned} />
          {(owned.value?.length ?? 0) > manyProjects && (
            <TextField label="Find a project" value={wanted} onValue={setWanted} spellcheck={false} />
          )}
          {owned.value?.length === 0 && <p class="hint">You have no projects yet. Create one first, or choose all.</p>}
          {owned.value?.filter(isWanted).map(({ slug, name }) => (
            <Choice
              key={slug}
              type="checkbox"
              name="project"
              label={name}
              hint={slug}
              checked={projects.includes(slug)}
              onChecked={(on) => toggle(slug, on)}
            />
          ))}
        </div>
      )}
      <FieldError of={submission.fieldError("/projects")} />
    </fieldset>
  );
}
