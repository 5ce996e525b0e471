import type { Client } from "../../contract/client.ts";
import type { Row } from "./columns.ts";

/** The ids of two releases: the one that a person may make live, and the live one. */
export interface ComparedReleases {
  readonly of: string;
  readonly before: string;
}

/** A command that is printing, and what it is about. */
export interface PartContext {
  readonly client: Client;
  readonly slug: string;
  /** Set in a command that compares releases. */
  readonly compared?: ComparedReleases;
  say(text: string): void;
  sayColumns(headings: readonly string[], rows: readonly Row[]): void;
}

/** Prints what an option tells of a project below the text of a command; nothing if there is nothing to say. */
export type CommandPart = (context: PartContext) => Promise<void>;

const parts = new Map<string, CommandPart[]>();

/** Adds a part to the command with this id, once, before a command runs. */
export function addCommandPart(command: string, part: CommandPart): void {
  parts.set(command, [...(parts.get(command) ?? []), part]);
}

export function partsOfCommand(command: string): readonly CommandPart[] {
  return parts.get(command) ?? [];
}
