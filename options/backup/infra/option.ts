import type { StackOption } from "../../../infra/option.ts";
import { FilesReplication, TableBackup, tellOfFailedBackups } from "./backup.ts";

/** Copies of table and files outside, and a mail if one fails. */
export const backup: StackOption = {
  addTo: (scope, { stage, table }) => {
    if (stage.backup === undefined) return undefined;
    new TableBackup(scope, "Backup", { stage, backup: stage.backup, table });
    return { tell: tellOfFailedBackups };
  },
  files: (scope, stage) => stage.backup && new FilesReplication(scope, "FilesReplication", stage, stage.backup),
};
