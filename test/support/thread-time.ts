/**
 * For how many milliseconds an action keeps this thread busy: unlike a clock's, they are not more on a busy machine. What it
 * waits for does not count.
 */
export async function threadMilliseconds(action: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await action();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
