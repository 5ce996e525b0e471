// One cold start: loads a bundle, sends it one request and prints the times. Plain JavaScript, so that only the bundle is
// compiled.
const [bundle, input] = process.argv.slice(2);
const event = JSON.parse(input);
const { requestId } = event.requestContext;
const context = { awsRequestId: requestId, functionName: "bench", getRemainingTimeInMillis: () => 15_000 };

const started = performance.now();
const { handler } = await import(bundle);
const imported = performance.now();
const { statusCode, body } = await handler(event, context);
const responded = performance.now();

if (statusCode >= 400) throw new Error(`${event.routeKey} responded with ${statusCode} ${body}`);
const measures = {
  importMilliseconds: imported - started,
  coldMilliseconds: responded - started,
  memoryMebibytes: process.memoryUsage.rss() / 2 ** 20,
};
process.stdout.write(JSON.stringify(measures), () => process.exit(0));
