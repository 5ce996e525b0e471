import { expect, test } from "@jest/globals";
import { blocksToRun } from "../../../support/documents.ts";
import { useService } from "../../../support/service/suite.ts";
import { startedBy } from "./starting.ts";

const service = useService();

test("the commands of docs/local.md start a service for another provider, and one for the Firebase emulator", async () => {
  const [provider = "", emulator = ""] = blocksToRun("docs/local.md", 2);
  const idToken = await service.idToken({ sub: "grace", aud: "my-client" });
  await startedBy(provider.replace("https://id.example.com/", service.issuer), async (api) => {
    const headers = { authorization: `Bearer ${idToken}` };
    const response = await fetch(`${api}/auth/session`, { method: "POST", headers });
    expect({ status: response.status, body: await response.json() }).toMatchObject({
      status: 201,
      body: { user: { uid: "grace" } },
    });
  });
  expect(await startedBy(emulator)).toContain("WARNING: IDP_AUTH_EMULATOR_HOST is set.");
});
