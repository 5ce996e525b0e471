import SharingEnvironment from "../../../test/support/environment.js";

const { details, region, credentials, edge, tokens, issuerPlaces } = JSON.parse(process.env["SVC_DEPLOYED"] ?? "{}");

/** The issuers of CI jobs that the stage knows, once a test file has asked for them. */
let issuers;

/** The service that files share is the stage. Whatever else a file asks for is none that was deployed, so its tests fail and name it. */
export default class DeployedEnvironment extends SharingEnvironment {
  async setup() {
    await super.setup();
    Object.assign(this.global, {
      deployment: { region, credentials, edge, idToken },
      sharedService: async () => service,
      sharedRecordedService: async () => ({ ...service, recorder, engine: details.dynamodbEndpoint }),
      sharedEngine: async () => lack("a service with settings of its own"),
      sharedJobIssuers: () => {
        issuers ??= import("../../../test/support/identity/jobs.ts").then((jobs) => jobs.startJobIssuers(issuerPlaces));
        return issuers;
      },
    });
  }
}

const service = {
  details,
  process: { exitCode: null, signalCode: null },
  output: () => "",
  stop: async () => {},
};

const recorder = {
  clear: () => {},
  plan: (plan) => plan && lack("a recorder of calls to the table"),
  during: () => lack("a recorder of calls to the table"),
  get calls() {
    return lack("a recorder of calls to the table");
  },
};

/** @throws Error as lab/cloud/suites.test.ts counts it */
function lack(what) {
  throw new Error(`The stage lacks ${what}.`);
}

async function idToken(claims) {
  const response = await fetch(tokens, { method: "POST", body: JSON.stringify(claims) });
  return await response.text();
}
