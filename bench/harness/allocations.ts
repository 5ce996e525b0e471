import { Session } from "node:inspector/promises";

const samplingIntervalBytes = 8_192;

/**
 * The bytes that `action` allocates on the heap, collected ones included: V8's sampling heap profiler's estimate, within a
 * few per cent for some megabytes. Measuring slows the action down, so take no times meanwhile.
 */
export async function allocatedBytes(action: () => Promise<void>): Promise<number> {
  const session = new Session();
  session.connect();
  try {
    await session.post("HeapProfiler.startSampling", {
      samplingInterval: samplingIntervalBytes,
      includeObjectsCollectedByMajorGC: true,
      includeObjectsCollectedByMinorGC: true,
    });
    await action();
    const { profile } = await session.post("HeapProfiler.stopSampling");
    return sizeOf(profile.head);
  } finally {
    session.disconnect();
  }
}

interface Node {
  readonly selfSize: number;
  readonly children: readonly Node[];
}

function sizeOf({ selfSize, children }: Node): number {
  return children.reduce((sum, child) => sum + sizeOf(child), selfSize);
}
