import { suspensionReason } from "../../contract/api/accounts/accounts.ts";
import { commands as programs } from "../home.ts";

export const usage = `Usage: ${programs.operator} [--stage NAME [--stages FILE] | --stack STACK] [--json] COMMAND

  show account ACCOUNT                     who it is, its projects and the last events; --json prints all that is stored
  show project PROJECT
  show waiting                             the accounts that wait to become developers, on a stage that approves them
  find account                             the accounts with the email address on standard input; it reads the whole table
  approve account ACCOUNT                  makes it a developer's, whether it has asked or not
  suspend account ACCOUNT --reason REASON  it can only read itself and end its tokens; nobody can play its projects
  suspend project PROJECT --reason REASON  nobody can play or change it
  restore account ACCOUNT                  lifts the suspension
  restore project PROJECT
  takedown PROJECT --reason REASON         suspends it, it is deleted for good, and CloudFront keeps nothing of it
  lift project PROJECT                     lifts its limit of traffic for the rest of the month
  revoke token                             ends the token on standard input
  revoke tokens ACCOUNT                    ends all its tokens, and approvals under way; its games go on
  give project PROJECT --to ACCOUNT        makes another developer its owner; members stay, CI jobs do not publish any more
  erase account ACCOUNT [--delete-projects] --confirm ACCOUNT
      deletes it for good, as its person could; without --confirm it says what would go
  policy read|change                       prints the rights in AWS of a colleague who may look, or do all of this but what follows
  repair pointers [--after SLUG]           writes to the games' edge again what players get of every project
  revoke credentials --before TIME [--in-use TABLE]
      of a restored table TABLE_NAME: ends tokens and trusted publishers from before TIME; those that TABLE, in use until now, still
      has stay, and what is suspended or withdrawn there is so again

ACCOUNT is a uid, or key: and the 22 characters after pat_ of one of its tokens. PROJECT is a slug or a play URL.
A play URL must be below the games domain of the stage, without --stage of GAMES_DOMAIN.
REASON is one of ${suspensionReason.options.join(", ")}.
--stage NAME finds table, games' store and distribution in the outputs of the stack svc-NAME, by the AWS command line, and
takes its credentials if the environment has none;
--stages FILE reads its settings from another file than your own.
--stack STACK is a service in a stack of your own app, in the region AWS_REGION.
--stage local is the service that npm start runs at PORT, to practise: its data alone changes.
Without --stage the environment names them: IDP_ISSUER the identity provider, TABLE_NAME the table, GAMES_STORE_ARN the
key-value store that tells the games' edge what is taken down, GAMES_DISTRIBUTION_ID the distribution that a takedown
purges. What changes something is refused without a store, because players would go on playing: a service without a
games' edge needs --without-games.`;

/** An invalid command line. */
export class UsageError extends Error {}
