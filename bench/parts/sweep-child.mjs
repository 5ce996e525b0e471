// One run of the sweeper: loads its bundle, calls it once and tells what that took. Plain JavaScript, so that nothing but
// the bundle is compiled.
const [bundle] = process.argv.slice(2);
const { handler } = await import(bundle);
const started = performance.now();
const endsAt = started + 840_000;
await handler({}, { awsRequestId: "bench", getRemainingTimeInMillis: () => endsAt - performance.now() });
const measures = {
  seconds: (performance.now() - started) / 1_000,
  // Kibibytes, on each system.
  memoryMebibytes: process.resourceUsage().maxRSS / 2 ** 10,
};
process.send(measures, () => process.exit(0));
