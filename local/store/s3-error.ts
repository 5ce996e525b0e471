/** Statuses of S3's errors (Amazon S3 API Reference, "Error responses"); every other code here is a 400. */
const statuses: Readonly<Record<string, number>> = {
  AccessDenied: 403,
  AccessForbidden: 403,
  InvalidAccessKeyId: 403,
  RequestTimeTooSkewed: 403,
  SignatureDoesNotMatch: 403,
  NoSuchBucket: 404,
  NoSuchKey: 404,
  NoSuchUpload: 404,
  MethodNotAllowed: 405,
  PreconditionFailed: 412,
  InvalidRange: 416,
  InternalError: 500,
  NotImplemented: 501,
};

/** An error that S3 documents, by its code. */
export class S3Error extends Error {
  readonly code: string;
  readonly status: number;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
    this.status = statuses[code] ?? 400;
  }
}

/** @throws S3Error 412 if the object exists */
export function refuseOverwriting(error: NodeJS.ErrnoException): never {
  if (error.code !== "EEXIST") throw error;
  throw new S3Error("PreconditionFailed", "At least one of the pre-conditions you specified did not hold");
}
