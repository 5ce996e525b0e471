// Work of a page with swagger-client: it gets the document's URL and a credential, and finds everything else in the document.
// Prints how long the document takes, then the responses to the operations of the lines of standard input.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const [bundle, url, idToken] = process.argv.slice(2);
// The package's one file without dependencies is for pages, and asks for these.
globalThis.window = globalThis;
globalThis.location = new URL(url);
const SwaggerClient = createRequire(import.meta.url)(bundle);

const before = process.cpuUsage();
const client = await new SwaggerClient(url, { authorizations: { idToken: { value: idToken } } });
const { user, system } = process.cpuUsage(before);
const operations = Object.values(client.apis).flatMap((tag) => Object.keys(tag));
console.log(JSON.stringify({ seconds: (user + system) / 1e6, errors: client.errors, operations }));

for await (const line of createInterface({ input: process.stdin })) {
  const { operationId, parameters, requestBody } = JSON.parse(line);
  const sent = client.execute({
    operationId,
    parameters,
    requestBody,
    securities: { authorized: { idToken: { value: idToken } } },
  });
  const { status, url: called, body, response } = await sent.catch((error) => error);
  console.log(
    JSON.stringify({ status: status ?? response?.status, url: called ?? response?.url, body: body ?? response?.body }),
  );
}
