import { readFileSync } from 'node:fs';

const MICROSECONDS_A_TICK = 10_000; // USER_HZ is 100 on every Linux

/** CPU time of a process in microseconds; NaN without /proc. */
export function cpuTime(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1].split(' ');
    return (Number(fields[11]) + Number(fields[12])) * MICROSECONDS_A_TICK; // utime, stime: proc(5)
  } catch {
    return NaN;
  }
}
