import { readFileSync } from 'node:fs';

const MICROSECONDS_PER_TICK = 10_000; // USER_HZ is 100 on every Linux

/** CPU time of a process and its children, in microseconds; NaN without /proc. */
export function cpuTime(pid) {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean);
    return children.reduce((sum, child) => sum + cpuTime(child), timeOf(`/proc/${pid}`));
  } catch {
    return NaN;
  }
}

function timeOf(folder) {
  const fields = readFileSync(`${folder}/stat`, 'latin1').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * MICROSECONDS_PER_TICK; // utime, stime: proc(5)
}
