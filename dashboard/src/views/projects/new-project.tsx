import { useState } from "preact/hooks";
import { slugOf } from "../../../../contract/api/projects/slug.ts";
import { AddressField } from "../../parts/address-field.tsx";
import type { Submission } from "../../parts/form.ts";
import { NameField } from "../../parts/name-field.tsx";
import { freeSlug } from "../first-steps.tsx";

/** Name and address of a project that does not exist yet. */
export interface NewProject {
  readonly name: string;
  readonly slug: string;
  setName(name: string): void;
  setSlug(slug: string): void;
}

/** @param suggestion the name that it begins with */
export function useNewProject(suggestion: string): NewProject {
  const [name, setName] = useState(suggestion);
  /** Undefined: it follows from the name. */
  const [chosen, setChosen] = useState<string>();
  const [spare] = useState(freeSlug);
  // A name without Latin letters gives no address: this one is free, and can be changed.
  const suggested = slugOf(name);
  const slug = chosen ?? (suggested.length >= 3 || name === "" ? suggested : spare);
  return { name, slug, setName, setSlug: (address) => setChosen(address === "" ? undefined : address) };
}

export function NewProjectFields({ of: project, submission }: { of: NewProject; submission: Submission }) {
  return (
    <>
      <NameField value={project.name} onValue={project.setName} submission={submission} />
      <AddressField value={project.slug} onValue={project.setSlug} error={submission.fieldError("/slug")} />
    </>
  );
}
