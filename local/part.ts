/** One running part of the stage. */
export interface Part {
  readonly endpoint: string;
  stop(): Promise<void>;
}

/** A part that somebody else runs. */
export function elsewhere(endpoint: string): Part {
  return { endpoint, stop: async () => undefined };
}
