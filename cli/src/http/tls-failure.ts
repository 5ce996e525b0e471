/** Why a TLS connection was not made, or broke. */
export type TlsFailure =
  /** The certificate: of another name, expired, or signed by nobody who is trusted. */
  | "certificate"
  /** The peer speaks something else, mostly plain http. */
  | "no_tls"
  /** Both speak TLS, and have no version or cipher in common. */
  | "no_common_version"
  /** The peer demands a certificate of this machine. */
  | "client_certificate"
  /** Bytes were damaged on the way. */
  | "broken";

/** Failures by OpenSSL's reasons (openssl/ssl/ssl_err.c), of which the others are damages. */
const reasons: readonly [RegExp, TlsFailure][] = [
  [/^(wrong version number|http request|https proxy request|packet length too long|unknown protocol)$/, "no_tls"],
  [
    /protocol version|unsupported protocol|handshake failure|no shared cipher|no ciphers|insufficient security/,
    "no_common_version",
  ],
  [/alert (certificate required|bad certificate|unknown ca|certificate unknown|access denied)/, "client_certificate"],
];

/** OpenSSL's results of a verification, which are error codes in Node (https://nodejs.org/api/tls.html#x509-certificate-error-codes). */
const certificateCode =
  /^ERR_TLS_CERT|CERT(_|$)|^CRL_|_CRL(_|$)|SIGNATURE|^UNABLE_TO_|^INVALID_(CA|PURPOSE)$|^PATH_LENGTH_EXCEEDED$|^HOSTNAME_MISMATCH$/;

/** The kind of failure that a socket's error is; undefined if it is none of TLS. */
export function tlsFailure(error: unknown): TlsFailure | undefined {
  const { code = "", reason, message = "" } = (error ?? {}) as { code?: string; reason?: string; message?: string };
  // The first write has its reason only in the text.
  const said = reason ?? /:SSL routines:[^:]*:([^:]+):/.exec(message)?.[1];
  if (/^ERR_SSL_|^EPROTO$/.test(code)) return reasons.find(([words]) => words.test(said ?? ""))?.[1] ?? "broken";
  return certificateCode.test(String(code)) ? "certificate" : undefined;
}
