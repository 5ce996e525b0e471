import * as z from "zod/mini";
import type { InfraOption } from "../../infra/option.ts";
import { atLeastOne } from "../../infra/settings/setting-values.ts";

/** Copies of table and files outside the stage's account or region: docs/operations/backup.md. */
const setting = z.strictObject({
  /** The vault of AWS Backup that gets a copy of the table each day. Its account also owns `bucket`. */
  vaultArn: z
    .string()
    .check(
      z.regex(
        /^arn:aws:backup:[a-z]{2}(?:-[a-z]+)+-\d:\d{12}:backup-vault:[\w-]{2,50}$/,
        "must be the ARN of a backup vault such as arn:aws:backup:eu-west-1:333333333333:backup-vault:svc",
      ),
    ),
  /** The versioned bucket that gets a replica of each file. */
  bucket: z.string().check(z.regex(/^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/, "must be the name of a bucket without dots")),
  /** Days for which the vault keeps each copy; 35 by default. */
  days: z.optional(atLeastOne),
});

/** A stage with its setting. */
interface BackedUpStage {
  readonly account: string;
  readonly region: string;
  readonly backup?: z.output<typeof setting> | undefined;
}

const settings = {
  /** Copies of table and files outside the account or region; without it a lost account is lost with all that the stage has. */
  backup: z.optional(setting),
};

type BackupSettings = typeof settings;
declare module "../../infra/settings/stage-option.ts" {
  interface OptionSettings extends BackupSettings {}
}

export const backup: InfraOption = {
  name: "backup",
  settings,
  problems: ({ account, region, backup: { vaultArn } = { vaultArn: "", bucket: "" } }: BackedUpStage): string[] => {
    const vault = placeOfArn(vaultArn);
    const isSame = vault.account === account && vault.region === region;
    return isSame ? ["backup.vaultArn must be of another account or region than the stage's"] : [];
  },
};

/** Region and account of an ARN. */
export function placeOfArn(arn: string): { readonly region: string; readonly account: string } {
  const [, , , region = "", account = ""] = arn.split(":");
  return { region, account };
}
