import build from "../support/global-setup.ts";

/** Builds in Stryker's copy what the tests need, in one command: Stryker runs its build command without a shell. */
build();
