import { readFileSync } from 'node:fs';

/** Resident memory of a process. */
export function residentMegabytes(pid) {
  const [, kibibytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Math.round(Number(kibibytes) / 1_024);
}
