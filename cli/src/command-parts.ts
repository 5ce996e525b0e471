import type { Client } from "../../contract/client.ts";
import type { Row } from "./columns.ts";

/** A command that is printing, and the project that it is about. */
export interface PartContext {
  readonly client: Client;
  readonly slug: string;
  say(text: string): void;
  sayColumns(headings: readonly string[], rows: readonly Row[]): void;
}

/** Prints what an option tells of a project below the text of another option's command; nothing if there is nothing to say. */
export type CommandPart = (context: PartContext) => Promise<void>;

const parts = new Map<string, CommandPart[]>();

/** Adds a part to the command with this id, once, before a command runs. */
export function addCommandPart(command: string, part: CommandPart): void {
  parts.set(command, [...(parts.get(command) ?? []), part]);
}

export function partsOfCommand(command: string): readonly CommandPart[] {
  return parts.get(command) ?? [];
}
