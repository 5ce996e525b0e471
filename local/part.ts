/** One running part of the service. */
export interface Part {
  readonly endpoint: string;
  stop(): Promise<void>;
}

/** A part that somebody else runs. */
export function elsewhere(endpoint: string): Part {
  return { endpoint, stop: async () => undefined };
}
