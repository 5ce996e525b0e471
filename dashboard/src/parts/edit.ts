import { useRef } from "preact/hooks";
import { ApiError } from "../../../contract/api-error.ts";
import type { Validated } from "../../../contract/client.ts";

interface Editable<Resource, Fields> {
  /** Fields of the resource that the form edits, as requests have them. */
  fieldsOf(resource: Resource): Fields;
  read(): Promise<Validated<Resource>>;
  /** Changes it if it still has this ETag. */
  write(changes: Partial<Fields>, etag: string | null): Promise<Resource>;
}

interface Edit<Resource, Fields> {
  /** Whether these fields are others than the form showed at first, or has saved. */
  isUnsaved(edited: Fields): boolean;
  /** Notes that the form shows all of this now, also what another window has saved. */
  shows(resource: Resource): void;
  /** @throws ApiError `precondition_failed` if the same field was changed elsewhere */
  save(edited: Fields): Promise<Resource>;
}

/**
 * Saves what a person has edited in a form. Only what the person has changed is sent; what another window has changed
 * since the form showed it is not overwritten, unless the person saves once more.
 */
export function useEdit<Resource, Fields extends object>(
  resource: Resource,
  { fieldsOf, read, write }: Editable<Resource, Fields>,
): Edit<Resource, Fields> {
  const shown = useRef(fieldsOf(resource));
  const changedIn = (edited: Fields) => names(edited).filter((name) => !isSame(edited[name], shown.current[name]));
  const save = async (edited: Fields, attempts: number): Promise<Resource> => {
    const changed = changedIn(edited);
    const note = (fields: Fields) => {
      shown.current = { ...shown.current, ...pick(fields, changed) };
    };
    const { body, etag } = await read();
    const current = fieldsOf(body);
    if (changed.some((name) => !isSame(current[name], shown.current[name]))) {
      note(current);
      throw new ApiError({ code: "precondition_failed", detail: "" });
    }
    try {
      const saved = await write(pick(edited, changed), etag);
      note(fieldsOf(saved));
      return saved;
    } catch (error) {
      // Something else of it was changed since it was read, for example what it stores.
      const isOutdated = error instanceof ApiError && error.code === "precondition_failed" && attempts > 1;
      if (!isOutdated) throw error;
      return await save(edited, attempts - 1);
    }
  };
  return {
    isUnsaved: (edited) => changedIn(edited).length > 0,
    shows: (resource) => {
      shown.current = fieldsOf(resource);
    },
    save: (edited) => save(edited, 3),
  };
}

/** Whether two values are the same JSON: each response has lists of its own. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function names<Fields extends object>(fields: Fields): (keyof Fields)[] {
  return Object.keys(fields) as (keyof Fields)[];
}

function pick<Fields extends object>(fields: Fields, picked: readonly (keyof Fields)[]): Partial<Fields> {
  return Object.fromEntries(picked.map((name) => [name, fields[name]])) as Partial<Fields>;
}
