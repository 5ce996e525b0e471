import { BadRequestException, MessageRejected, SESv2Client, SendEmailCommand } from "@aws-sdk/client-sesv2";
import * as environment from "../../../functions/environment.ts";

/** A plain text mail to one address. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

let client: SESv2Client | undefined;

function ses(): SESv2Client {
  client ??= new SESv2Client({
    ...environment.sesEndpoint(),
    // A mail whose response was lost is sent again, so there are few attempts; the queue has more.
    maxAttempts: 2,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
  });
  return client;
}

/**
 * Sends a mail by SES, from the stage's address.
 *
 * @returns "refused" if SES will never take this mail: its recipient or its content is refused
 * @throws the SDK's error if SES throttles, fails, denies or cannot be reached; its message may have the address
 */
export async function sendBySes({ to, subject, text }: Mail): Promise<"sent" | "refused"> {
  const utf8 = (Data: string) => ({ Data, Charset: "UTF-8" });
  const Content = { Simple: { Subject: utf8(subject), Body: { Text: utf8(text) } } };
  const Destination = { ToAddresses: [to] };
  try {
    await ses().send(new SendEmailCommand({ FromEmailAddress: environment.mailFrom(), Destination, Content }));
    return "sent";
  } catch (error) {
    if (error instanceof MessageRejected || error instanceof BadRequestException) return "refused";
    throw error;
  }
}
