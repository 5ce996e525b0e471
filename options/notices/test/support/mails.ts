import { afterEach, jest } from "@jest/globals";
import type { Context, SQSEvent } from "aws-lambda";
import type { Developer } from "../../../../test/support/service/actors.ts";
import type { TestService } from "../../../../test/support/service/service.ts";
import { duringTests, useFunctionEnvironment } from "../../../../test/support/service/suite.ts";
import type { Notice } from "../../contract/notice.ts";
import { handler } from "../../jobs/mail-notice.ts";
import { type Ses, startSes } from "./ses.ts";

/**
 * The function that mails notices, between the table of a service and an SES that takes its requests over a socket, for
 * the tests of a file.
 */
export function useMails(service: TestService) {
  const ses: Ses = duringTests(startSes);
  const output: string[] = [];

  useFunctionEnvironment(service, () => ({
    MAIL_FROM: "svc <no-reply@example.com>",
    SES_ENDPOINT: ses.endpoint,
    DASHBOARD_ORIGIN: "https://dashboard.example.com",
    REPORT_URL: "https://abuse.example.com/{slug}",
  }));

  afterEach(() => {
    ses.plan(undefined);
    output.length = 0;
  });

  const mail = async (...notices: readonly Notice[]): Promise<void> => {
    const Records = notices.map((notice) => ({
      body: JSON.stringify({ source: "svc", "detail-type": notice.type, detail: notice }),
    }));
    const write = jest.spyOn(process.stdout, "write").mockImplementation((text) => output.push(String(text)) > 0);
    try {
      await handler({ Records } as SQSEvent, { awsRequestId: "run" } as Context);
    } finally {
      write.mockRestore();
    }
  };

  return {
    ses,
    /** Calls the function as Lambda does for messages of the queue. */
    mail,
    /** The lines that the function has logged in this test. */
    logged: () => output.map((line) => JSON.parse(line)),
    /** The mails to a person, in the order in which they came. */
    mailsTo: ({ email }: Developer) => ses.sent.filter(({ to }) => to.includes(email)),
  };
}
