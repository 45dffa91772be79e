/** A row of the form; rows with the same minutes become one step. */
export interface StepRow {
  minutes: string;
  handler: string;
}

/** Parses the rows, which the form stores as JSON because its values are strings. */
export function rowsOf(text: string): StepRow[] {
  return text === '' ? [] : (JSON.parse(text) as StepRow[]);
}

export function textOf(rows: readonly StepRow[]): string {
  return rows.length === 0 ? '' : JSON.stringify(rows);
}

/** `300:4,5;900:6`, as the API expects it; undefined while a row is incomplete. */
export function stepsOf(rows: readonly StepRow[]): string | undefined {
  if (rows.some(({ minutes, handler }) => !(Number(minutes) > 0) || handler === '')) return undefined;
  const times = [...new Set(rows.map(({ minutes }) => Number(minutes)))].sort((a, b) => a - b);
  const handlersAt = (time: number) => [...new Set(rows.filter(({ minutes }) => Number(minutes) === time).map(({ handler }) => handler))];
  return times.map((time) => `${Math.round(time * 60)}:${handlersAt(time).join(',')}`).join(';');
}
