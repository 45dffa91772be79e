export interface JobOptions {
  /** Unique in the service, up to 64 characters. Keep it when you rename the method: the database has the job's schedule under it. */
  name: string;
  /** From one start to the next. */
  everyMs: number;
  /** Also when a process starts. */
  atStart?: boolean;
}

/** Stop when the signal aborts, by throwing: what returns counts as done. */
export type JobMethod = (signal: AbortSignal) => Promise<unknown>;

const OPTIONS = Symbol('job');

/** Runs a provider's method again and again, in one process at a time of all that share the database. */
export function Job(options: JobOptions) {
  return <M extends JobMethod>(_target: object, _name: string, { value }: TypedPropertyDescriptor<M>): void => {
    Reflect.defineMetadata(OPTIONS, options, value!);
  };
}

export function jobOptionsOf(method: unknown): JobOptions | undefined {
  return typeof method === 'function' ? (Reflect.getMetadata(OPTIONS, method) as JobOptions | undefined) : undefined;
}
