import { readFileSync } from 'node:fs';

export function residentMegabytes(pid) {
  return megabytes(pid, 'VmRSS');
}

/** Peak resident memory of a process; undefined once the process has ended. */
export function peakMegabytes(pid) {
  return megabytes(pid, 'VmHWM');
}

function megabytes(pid, name) {
  const [, kibibytes] = new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return kibibytes && Math.round(Number(kibibytes) / 1_024);
}
