/** Result of a client's flow. */
export type Outcome = { readonly access_token: string } | { readonly error: string };

/** A foreign client that knows the issuer's URL and its own id, and reads the rest from the metadata. */
export interface Client {
  /** @param browse what the browser does with the authorization URL; returns where it is sent at last */
  readonly code?: (issuer: string, browse: (url: URL) => Promise<string>) => Promise<Outcome>;
  /** @param enter what the person does with the code that the machine shows */
  readonly device?: (issuer: string, enter: (userCode: string) => Promise<void>) => Promise<Outcome>;
}
