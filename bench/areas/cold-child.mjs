// One cold start: loads a bundle, sends it one request and tells what that took. Plain JavaScript, so that nothing but
// the bundle is compiled.
const [bundle, input] = process.argv.slice(2);
const { event, context } = JSON.parse(input);
context.getRemainingTimeInMillis = () => 15_000;

const started = performance.now();
const { handler } = await import(bundle);
const imported = performance.now();
const { statusCode, body } = await handler(event, context);
const answered = performance.now();

const { user, system } = process.cpuUsage();
const measures = {
  processorMilliseconds: (user + system) / 1_000,
  importMilliseconds: imported - started,
  firstMilliseconds: answered - imported,
  coldMilliseconds: answered - started,
  /** From the start of the process, Node's own included. */
  processMilliseconds: answered,
  memoryMebibytes: process.memoryUsage.rss() / 2 ** 20,
};
if (statusCode >= 400) throw new Error(`${event.routeKey} answered ${statusCode} ${body}`);
process.stdout.write(JSON.stringify(measures), () => process.exit(0));
