import type { Client } from "../../contract/client.ts";
import type { Row } from "./columns.ts";
import type { SvcCommand } from "./command.ts";

/** Parts of an option for the command line. */
export interface CliOption {
  readonly name: string;
  /** Its commands by their oclif ids. */
  readonly commands: Readonly<Record<string, typeof SvcCommand>>;
  /** Plays of a release beside another one, for who is asked whether to roll back; undefined: too few are known. */
  readonly comparison?: ReleaseComparison;
}

export interface ReleaseComparison {
  readonly headings: readonly string[];
  rows(client: Client, slug: string, ids: ComparedReleases): Promise<Row[] | undefined>;
}

/** The ids of two releases. */
export interface ComparedReleases {
  readonly of: string;
  readonly before: string;
}
