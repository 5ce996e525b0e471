import type { IncomingHttpHeaders } from "node:http";
import { buffer } from "node:stream/consumers";
import { startHttpServer } from "../../../../test/support/network/http-server.ts";

/** One SendEmail request, as it is sent. */
export interface SentMail {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
}

/** Fault of a request. */
export type SesFault =
  | { readonly kind: "refuse"; readonly status: number; readonly error: string; readonly message?: string }
  /** The mail is not sent, and the connection breaks. */
  | { readonly kind: "break" }
  /** The mail is sent, and the connection breaks before the response. */
  | { readonly kind: "lose-response" }
  /** There is no response. */
  | { readonly kind: "hang" };

/** An endpoint that takes SendEmail as SES does (API version 2), over HTTP. */
export interface Ses {
  readonly endpoint: string;
  readonly requests: SentMail[];
  /** The mails that were sent, in the order in which they came. */
  readonly sent: SentMail[];
  plan(fault: ((mail: SentMail) => SesFault | undefined) | undefined): void;
  stop(): Promise<void>;
}

export async function startSes(): Promise<Ses> {
  const requests: SentMail[] = [];
  const sent: SentMail[] = [];
  let plan: ((mail: SentMail) => SesFault | undefined) | undefined;
  const server = await startHttpServer(async (incoming, response) => {
    const { FromEmailAddress, Destination, Content } = JSON.parse((await buffer(incoming)).toString());
    const mail: SentMail = {
      path: `${incoming.method} ${incoming.url}`,
      headers: incoming.headers,
      from: FromEmailAddress,
      to: Destination.ToAddresses,
      subject: Content.Simple.Subject.Data,
      text: Content.Simple.Body.Text.Data,
    };
    requests.push(mail);
    const fault = plan?.(mail);
    const send = (status: number, body: object, headers = {}) =>
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
    if (fault?.kind === "break") return incoming.socket.destroy();
    if (fault?.kind === "hang") return undefined;
    if (fault?.kind === "refuse")
      return send(fault.status, { message: fault.message ?? fault.error }, { "x-amzn-errortype": fault.error });
    sent.push(mail);
    if (fault?.kind === "lose-response") return incoming.socket.destroy();
    return send(200, { MessageId: `mail-${sent.length}` });
  });
  return {
    ...server,
    requests,
    sent,
    plan: (next) => {
      plan = next;
    },
  };
}
