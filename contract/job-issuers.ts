/** The issuers of CI jobs' identity tokens that every stage knows; a stage may name self-hosted ones beside them. */
export const publicIssuers = {
  github: "https://token.actions.githubusercontent.com",
  gitlab: "https://gitlab.com",
} as const;

export type JobProvider = keyof typeof publicIssuers;
