import "../../programs/contract-options.ts";

/* The contract with every option, for tests that go through all routes. */
export * from "../../contract/api/routes.ts";
