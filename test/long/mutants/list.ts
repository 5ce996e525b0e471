import { cliMutants } from "./cli.ts";
import { edgeMutants } from "./edge.ts";
import { endingMutants } from "./endings.ts";
import { identityMutants } from "./identity.ts";
import { infraMutants } from "./infra.ts";
import type { Mutant } from "./mutant.ts";
import { noticeMutants } from "./notices.ts";
import { quotaMutants } from "./quota.ts";
import { requestMutants } from "./requests.ts";

/** The places where a removed check was once noticed by no test, or only by a longer suite, and others like them. */
export const mutants: readonly Mutant[] = [
  ...identityMutants,
  ...requestMutants,
  ...edgeMutants,
  ...endingMutants,
  ...quotaMutants,
  ...noticeMutants,
  ...infraMutants,
  ...cliMutants,
];
