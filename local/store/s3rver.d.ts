/* The parts of @20minutes/s3rver that local/store/object-store.ts uses; the package has no types of its own. */

declare module "@20minutes/s3rver" {
  import type { IncomingHttpHeaders, IncomingMessage, Server } from "node:http";

  interface Context {
    readonly method: string;
    readonly path: string;
    readonly req: IncomingMessage;
    params: { readonly bucket: string; readonly key: string };
    status: number;
    type: string;
    set(header: string, value: string): void;
    readonly headers: IncomingHttpHeaders;
    readonly query: Record<string, string | string[] | undefined>;
    store: { listObjects(bucket: string, options: object): Promise<never> };
    body: unknown;
    readonly response: { readonly headers: Record<string, unknown> };
    remove(header: string): void;
  }

  class S3rver {
    constructor(options: {
      address: string;
      port: number;
      directory: string;
      silent: boolean;
      vhostBuckets: boolean;
      configureBuckets: { name: string; configs: string[] }[];
    });
    readonly middleware: ((context: Context, next: () => Promise<void>) => Promise<void>)[];
    readonly httpServer: Server;
    readonly logger: { silent: boolean };
    readonly store: {
      /** What is configured of a bucket, or of an object: `cors`, `website`; null if nothing is. */
      getSubresource(bucket: string, key: string | undefined, kind: string): Promise<unknown>;
    };
    run(): Promise<{ port: number }>;
    close(): Promise<void>;
  }
  export = S3rver;
}

declare module "@20minutes/s3rver/lib/middleware/authentication.js" {
  import type S3rver from "@20minutes/s3rver";

  /** Verifies the signature of a request; `params` must be set. */
  function authentication(): S3rver["middleware"][number];
  export = authentication;
}

declare module "@20minutes/s3rver/lib/middleware/cors.js" {
  import type S3rver from "@20minutes/s3rver";

  /** Adds the headers of the bucket's CORS rules; `params` must be set. */
  function cors(): S3rver["middleware"][number];
  export = cors;
}

declare module "@20minutes/s3rver/lib/models/account.js" {
  const AWSAccount: {
    readonly DUMMY_ACCOUNT: { createKeyPair(accessKeyId: string, secretAccessKey: string): void };
  };
  export = AWSAccount;
}

declare module "@20minutes/s3rver/lib/models/error.js" {
  class S3Error extends Error {
    constructor(code: string, message: string);
  }
  export = S3Error;
}

declare module "@20minutes/s3rver/lib/models/object.js" {
  class S3Object {
    constructor(bucket: string, key: string, content: null, metadata: Record<string, string | number>);
    readonly key: string;
  }
  export = S3Object;
}
