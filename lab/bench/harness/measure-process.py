"""Runs a command and tells its time, processor time and peak memory: Node cannot ask what a child has used.

Usage: measure-process.py FILE COMMAND... ; FILE gets one JSON document. Processor time and memory include what the
command itself started and waited for.
"""
import json
import os
import sys
import time

report, command = sys.argv[1], sys.argv[2:]
started = time.perf_counter()
process = os.posix_spawnp(command[0], command, os.environ)
_, status, usage = os.wait4(process, 0)
measures = {
    "wallMilliseconds": (time.perf_counter() - started) * 1_000,
    "processorMilliseconds": (usage.ru_utime + usage.ru_stime) * 1_000,
    # Kibibytes on Linux, bytes on macOS.
    "memoryMebibytes": usage.ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10),
    "exitCode": os.waitstatus_to_exitcode(status),
}
with open(report, "w", encoding="utf-8") as file:
    json.dump(measures, file)
