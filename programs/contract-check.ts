import "./contract-options.ts";

/* What the command line reads after a failure: whether a response is as the contract has it, with every option. */
export { breaksContract } from "../cli/src/http/contract-check.ts";
